// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests of programs on many ranks: artifacts with a mesh, loaded and called by the threads of one process.
#ifndef HEDDLE_RUNTIME_TEST_RANKSFIXTURE_H
#define HEDDLE_RUNTIME_TEST_RANKSFIXTURE_H

#include "ExecutorFixture.h"
#include "RankPrograms.h"
#include "runtime/collectives/local/LocalGroup.h"

#include <thread>

namespace heddle::test {

inline constexpr uint64_t kSecond = 1'000'000'000;

// The members of a world, each with a thread of its own.
class RankThreads {
public:
  explicit RankThreads(uint32_t ranks, uint64_t timeoutNs = 60 * kSecond, uint32_t atOnce = 0)
      : world(std::make_shared<World>(std::move(*collectives::createLocalWorld(ranks)), "local", timeoutNs, atOnce)) {}
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

// One artifact, loaded by all ranks. `{rank}` in a URI is the rank. "4*" before the first URI: so many collectives are
// in flight at once.
struct RankModules {
  RankModules(fb::ModuleT &&source, uint32_t ranks, std::vector<std::string> uris = {"local://0"},
              std::string mesh = "", uint64_t timeoutNs = 60 * kSecond)
      : RankModules(build(source), ranks, std::move(uris), std::move(mesh), timeoutNs) {}
  RankModules(AlignedBytes file, uint32_t ranks, std::vector<std::string> uris = {"local://0"}, std::string mesh = "",
              uint64_t timeoutNs = 60 * kSecond)
      : bytes(std::move(file)), threads(ranks, timeoutNs, takeAtOnce(uris)), modules(ranks), statuses(ranks) {
    threads.forEach([&](uint32_t r) {
      std::vector<std::string> own = uris;
      for (std::string &uri : own)
        if (size_t at = uri.find("{rank}"); at != std::string::npos)
          uri.replace(at, 6, std::to_string(r));
      auto artifact = Artifact::openMemory(bytes);
      if (!artifact.ok()) {
        statuses[r] = artifact.takeStatus();
        return;
      }
      StatusOr<std::shared_ptr<Module>> loaded =
          Module::load(*artifact, own, runBindFunction, {}, 0, true, {threads.world, r, mesh});
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

  static uint32_t takeAtOnce(std::vector<std::string> &uris) {
    if (uris.empty() || uris[0].size() < 2 || uris[0][1] != '*')
      return 0;
    auto atOnce = static_cast<uint32_t>(uris[0][0] - '0');
    uris[0].erase(0, 2);
    return atOnce;
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
