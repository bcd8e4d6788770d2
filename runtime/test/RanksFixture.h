// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests of programs on many ranks: artifacts with a mesh, loaded and called by the threads of one process.
#ifndef HEDDLE_RUNTIME_TEST_RANKSFIXTURE_H
#define HEDDLE_RUNTIME_TEST_RANKSFIXTURE_H

#include "ExecutorFixture.h"
#include "heddle/contract/Collectives.h"
#include "runtime/collectives/local/LocalGroup.h"

#include <thread>

namespace heddle::test {

using contract::CollectiveKind;
using contract::Reduction;

inline constexpr uint64_t kSecond = 1'000'000'000;

struct Axis {
  const char *name;
  int64_t size = contract::kFreeSize;
};

inline void addMesh(fb::ModuleT &module, const char *name, std::vector<Axis> axes, int64_t first = 0) {
  auto mesh = std::make_unique<fb::MeshT>();
  mesh->name = name;
  for (const Axis &axis : axes) {
    mesh->axes.push_back(std::make_unique<fb::MeshAxisT>());
    mesh->axes.back()->name = axis.name;
    mesh->axes.back()->size = axis.size;
  }
  mesh->first = first;
  module.meshes.push_back(std::move(mesh));
}

// Over the axes of a mesh; the caller changes what else it wants.
inline fb::CollectiveT &addCollective(fb::ModuleT &module, CollectiveKind kind, std::vector<uint32_t> axes = {0},
                                      uint32_t mesh = 0, ElementType type = ElementType::F32) {
  auto collective = std::make_unique<fb::CollectiveT>();
  collective->kind = static_cast<uint8_t>(kind);
  collective->type = static_cast<uint8_t>(type);
  collective->mesh = mesh;
  collective->axes = std::move(axes);
  collective->name = "meet";
  if (kind == CollectiveKind::Permute)
    collective->shift = 1;
  module.collectives.push_back(std::move(collective));
  return *module.collectives.back();
}

// The code that computes in s1 the elements of a collective's piece and in s2 those of its target, where s0 counts its
// source's among s9 members.
inline std::string countPieces(CollectiveKind kind) {
  std::string code = contract::hasSourcePieces(kind) ? "div_s s1 s0 s9\n" : "move s1 s0\n";
  return code + (contract::hasTargetPieces(kind) ? "mul s2 s1 s9\n" : "move s2 s1\n");
}

// main(x: n x f32) -> y: one collective over mesh @m, [x = ?].
inline fb::ModuleT exchangeModule(CollectiveKind kind) {
  fb::ModuleT module = emptyModule();
  addMesh(module, "m", {{"x"}});
  addCollective(module, kind);
  auto main = contract::test::function("main", "mesh_size s9 g0 0\n" + countPieces(kind) + R"(
      const s3 4
      mul s4 s2 s3
      result b1 r0 x0 s4
      comm_stream t1
      record e0 t0
      wait t1 e0
      collective t1 j0 b0 b1 s1
      record e1 t1
      wait t0 e1
      set_result r0 b1 [s2]
      return)",
                                       10, 2, 2, 2);
  addSymbol(*main, "n", 0, 1 << 20);
  main->arguments.push_back(contract::test::value("x", ElementType::F32, {symbol(0)}));
  main->results.push_back(contract::test::value("y", ElementType::F32, {size(-1)}));
  module.functions.push_back(std::move(main));
  return module;
}

// The members of a world, each with a thread of its own.
class RankThreads {
public:
  explicit RankThreads(uint32_t ranks, uint64_t timeoutNs = 60 * kSecond)
      : world(std::make_shared<World>(std::move(*collectives::createLocalWorld(ranks)), "local", timeoutNs)) {}
  uint32_t size() const { return world->size(); }

  template <typename Body> void forEach(Body &&body) const {
    std::vector<std::thread> threads;
    for (uint32_t r = 0; r < size(); ++r)
      threads.emplace_back([&, r] { body(r); });
    for (std::thread &thread : threads)
      thread.join();
  }

  std::shared_ptr<World> world;
};

// One artifact, loaded by all ranks.
struct RankModules {
  RankModules(fb::ModuleT &&source, uint32_t ranks, std::vector<std::string> uris = {"local://0"},
              std::string mesh = "", uint64_t timeoutNs = 60 * kSecond)
      : RankModules(build(source), ranks, std::move(uris), std::move(mesh), timeoutNs) {}
  RankModules(AlignedBytes file, uint32_t ranks, std::vector<std::string> uris = {"local://0"}, std::string mesh = "",
              uint64_t timeoutNs = 60 * kSecond)
      : bytes(std::move(file)), threads(ranks, timeoutNs), modules(ranks), statuses(ranks) {
    threads.forEach([&](uint32_t r) {
      StatusOr<std::shared_ptr<Module>> loaded = Module::load(*Artifact::openMemory(bytes), uris, runBindFunction, {},
                                                              0, true, {threads.world, r, mesh});
      if (loaded.ok())
        modules[r] = std::move(*loaded);
      else
        statuses[r] = loaded.takeStatus();
    });
  }
  bool ok() const {
    for (const Status &status : statuses)
      if (!status.ok())
        ADD_FAILURE() << status.text();
    return threads.world->failure(0).ok() && modules[0];
  }
  std::unique_ptr<Invocation> invocation(uint32_t rank, uint32_t entryPoint = 0) const {
    return std::move(*Invocation::create(modules[rank], *modules[rank]->entryPoints()[entryPoint]));
  }

  AlignedBytes bytes;
  RankThreads threads;
  std::vector<std::shared_ptr<Module>> modules; // by rank
  std::vector<Status> statuses;
};

// One vector in, one out; the result's size is the call's.
inline Status callVector(Invocation &call, std::vector<float> &x, std::vector<float> &y) {
  heddle_tensor in = tensorOf(x), out{};
  HEDDLE_RETURN_IF_ERROR(call.call({&in, 1}, {&out, 1}));
  const auto *data = static_cast<const float *>(out.data);
  y.assign(data, data + out.dims[0]);
  reinterpret_cast<hal::Buffer *>(out.owner)->release();
  return {};
}

} // namespace heddle::test

#endif // HEDDLE_RUNTIME_TEST_RANKSFIXTURE_H
