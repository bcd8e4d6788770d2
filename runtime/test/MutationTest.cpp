// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random mutations of a good artifact: each is refused with a message or runs on the null device to a result or an
// error; never a crash, a hang or a leak (the asan preset sees those). Half of them get their hash repaired, so that
// they reach what lies behind it.
//
//   HEDDLE_MUTATIONS=200000 HEDDLE_SEED=7 bin/mutation_test          (10000 unless said)
#include "RankPrograms.h"
#include "runtime/collectives/local/LocalGroup.h"
#include "runtime/executor/call/Invocation.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

using namespace heddle;
using namespace heddle::test;

extern "C" const char *__asan_default_options() { return "allocator_may_return_null=1"; }

namespace {

// Two devices, one with memory that the host cannot address.
const std::vector<std::string> kDevices = {"null?memory=64m", "null?memory=64m&discrete=yes"};
const int kNoCache = setenv("HEDDLE_CACHE_DIR", "", 1);

// A mesh, and a function with each instruction that is about ranks.
void addMeeting(fb::ModuleT &module) {
  addMesh(module, "m", {{"x"}, {"y", 1}});
  addCollective(module, CollectiveKind::AllReduce);
  addCollective(module, CollectiveKind::Permute, {0, 1});
  module.functions.push_back(contract::test::function("meet", R"(
      coordinate s0 g0 1
      mesh_size s1 g0 0
      member s2 g0
      const s3 64
      alloc b0 x0 s3
      fill t0 b0 s0 s3 s0 8
      comm_stream t1
      record e0 t0
      wait t1 e0
      collective t1 j0 b0 b0 s2
      collective t1 j1 b0 b0 s1
      follow t0 t1
      free t0 b0
      return)",
                                                      4, 1, 2, 1));
}

// A program that uses every kind of instruction, globals, and memory that the caller gives away.
fb::ModuleT richModule() {
  fb::ModuleT module = quadrupleModule();
  module.devices.push_back(contract::test::device("other", {"cuda", "local"}));
  auto rich = contract::test::function("rich", R"(
      const s1 64
      query s2 x0 0
      alternative s3 x1
      same_device s4 x0 x1
      alloc b1 x1 s1
      stream t1 x1 2
      stream_at t1 x1 s2
      const s5 0
      fill t1 b1 s5 s1 s2 8
      record e0 t1
      wait t0 e0
      read s6 t0 b1 s5 4
    @loop add s7 s7 s2
      cmp_lt s8 s7 s1
      br_if s8 @loop @done
    @done select s9 s8 s1 s7
      bound_scalar s9 n0
      bound_buffer b2 n1
      copy t0 b1 s5 b2 s5 s9
      parameter_on b2 p0 x1
      slab b2 x1 s1
      copy t1 b2 s5 b1 s5 s1
      dispatch t1 0.0 s2 s5 [b1 b1 b2] [s7]
      copy t0 b1 s5 b0 s5 s5
      free t1 b1
      move_buffer b2 b0
      move_stream t2 t1
      move_event e1 e0
      follow t0 t2
      await e1
      set_result r0 b2 [s0]
      return)",
                                       10, 3, 3, 2);
  addSymbol(*rich, "n", 0, 100);
  for (bool buffer : {false, true}) {
    module.bounds.push_back(std::make_unique<fb::BoundT>());
    module.bounds.back()->buffer = buffer;
  }
  module.layouts.push_back(std::make_unique<fb::LayoutT>());
  module.layouts[0]->perm = module.layouts[0]->inner_dims = {0};
  module.layouts[0]->inner_tiles = {16};
  auto bind = contract::test::function(
      "__bind", "pack_parameter b0 p0 x1 y0\nbind_buffer n1 b0\nquery s0 x1 0\nbind_scalar n0 s0\nreturn", 2, 2);
  bind->bind = true;
  module.functions.push_back(std::move(bind));
  rich->arguments.push_back(contract::test::value("x", ElementType::F32, {symbol(0)}));
  rich->results.push_back(contract::test::value("y", ElementType::F32, {symbol(0)}));
  module.functions.push_back(std::move(rich));
  contract::test::addState(module);
  addMeeting(module);
  return module;
}

void mutate(AlignedBytes &bytes, std::mt19937 &random, bool repaired) {
  // The data section does not matter; half of the mutations hit what is behind the header, where the tables are.
  size_t from = repaired ? sizeof(contract::Header) : 0;
  size_t to = sizeof(contract::Header) + bytes.header().metadata.bytes;
  for (unsigned n = 1 + random() % 3; n; --n) {
    size_t at = from + random() % (to - from);
    switch (random() % 4) {
    case 0: bytes.data()[at] = static_cast<std::byte>(random()); break;
    case 1: bytes.data()[at] ^= static_cast<std::byte>(1u << random() % 8); break;
    case 2: { // a word that is likely to be an index, an offset or a size
      static constexpr uint32_t words[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 0x10000, 64};
      uint32_t word = words[random() % 8];
      std::memcpy(bytes.data() + at / 4 * 4, &word, 4);
      break;
    }
    default: { // a word from elsewhere
      size_t other = from + random() % (to - from);
      std::memcpy(bytes.data() + at / 4 * 4, bytes.data() + other / 4 * 4, 4);
    }
    }
  }
  if (repaired)
    contract::test::repairHash(bytes);
}

// As the one rank of a world.
StatusOr<std::shared_ptr<Module>> load(std::shared_ptr<const Artifact> artifact) {
  auto world = std::make_shared<World>(std::move(*collectives::createLocalWorld(1)), "local", 1'000'000'000);
  return Module::load(std::move(artifact), kDevices, runBindFunction, {}, 0, true, {std::move(world), 0, ""});
}

// Calls every entry point with arguments that fit what it says.
void runAll(const std::shared_ptr<Module> &module) {
  for (const Function *function : module->entryPoints()) {
    StatusOr<std::unique_ptr<Invocation>> call = Invocation::create(module, *function);
    if (!call.ok())
      continue;
    (*call)->setTimeout(3'000'000);
    if (!function->state.empty() && !(*call)->setState(std::make_shared<State>(*module)).ok())
      continue;
    std::vector<heddle_tensor> arguments(function->info.argument_count), results(function->info.result_count);
    // Donated memory is no other argument's.
    constexpr size_t kBytes = 1 << 13, kMost = 8;
    alignas(64) static std::byte memory[kMost][kBytes];
    if (arguments.size() > kMost)
      continue;
    for (size_t i = 0; i < arguments.size(); ++i) {
      const heddle_value_info &info = function->info.arguments[i];
      arguments[i] = {memory[i], kBytes, info.type, info.rank, {}, nullptr};
      for (uint32_t d = 0; d < info.rank; ++d)
        arguments[i].dims[d] = info.dims[d].size >= 0 ? info.dims[d].size : std::max<int64_t>(info.dims[d].min, 4);
    }
    for (int round = 0; round < 2; ++round)
      if (Status status = (*call)->call(arguments, results); status.ok())
        for (heddle_tensor &result : results)
          if (result.owner)
            reinterpret_cast<hal::Buffer *>(std::exchange(result.owner, nullptr))->release(), result = {};
  }
}

TEST(Mutation, ArtifactsGiveOkOrAnError) {
  const char *count = std::getenv("HEDDLE_MUTATIONS"), *given = std::getenv("HEDDLE_SEED");
  unsigned seed = given ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : std::random_device{}();
  int mutations = count ? std::atoi(count) : 10000;
  std::printf("seed %u, %d mutations\n", seed, mutations);
  std::mt19937 random(seed);
  fb::ModuleT source = richModule();
  std::vector<std::byte> good = contract::test::build(source, std::vector<std::byte>(200));
  int refused = 0, loaded = 0;
  for (int i = 0; i < mutations; ++i) {
    AlignedBytes bytes(good);
    mutate(bytes, random, i % 8 != 0);
    StatusOr<std::shared_ptr<const Artifact>> artifact = Artifact::openMemory(bytes);
    if (!artifact.ok()) {
      EXPECT_FALSE(artifact.status().message().empty());
      ++refused;
      continue;
    }
    auto module = load(*artifact);
    if (!module.ok())
      continue;
    ++loaded;
    runAll(*module);
  }
  std::printf("%d refused, %d run\n", refused, loaded);
  if (mutations >= 1000) {
    EXPECT_GT(refused, mutations / 10);
    EXPECT_GT(loaded, mutations / 100);
  }
}

TEST(Mutation, TheGoodArtifactRuns) {
  fb::ModuleT source = richModule();
  AlignedBytes bytes(contract::test::build(source, std::vector<std::byte>(200)));
  auto artifact = Artifact::openMemory(bytes);
  ASSERT_TRUE(artifact.ok()) << artifact.status().text();
  auto module = load(*artifact);
  ASSERT_TRUE(module.ok()) << module.status().text();
  runAll(*module);
  auto call = Invocation::create(*module, *(*module)->entryPoints()[1]);
  std::vector<float> x(4);
  heddle_tensor in{x.data(), 16, HEDDLE_F32, 1, {4}, nullptr}, out{};
  Status status = (*call)->call({&in, 1}, {&out, 1});
  ASSERT_TRUE(status.ok()) << status.text();
  reinterpret_cast<hal::Buffer *>(out.owner)->release();
}

} // namespace
