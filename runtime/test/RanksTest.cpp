// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs on many ranks: each kind of collective, meshes whose sizes are told at load, collectives in loops and beside
// compute, parameters by shard.
#include "RanksFixture.h"

using namespace heddle;
using namespace heddle::test;
using contract::test::device;
using contract::test::function;
using contract::test::value;

namespace {

// What each rank gets, by the table in Collectives.h; one group of all ranks, root 0, shift 1.
std::vector<std::vector<float>> expected(CollectiveKind kind, const std::vector<std::vector<float>> &x) {
  size_t n = x.size(), piece = contract::hasSourcePieces(kind) ? x[0].size() / n : x[0].size();
  std::vector<float> all, sum(x[0].size());
  for (const std::vector<float> &one : x) {
    all.insert(all.end(), one.begin(), one.end());
    for (size_t i = 0; i < one.size(); ++i)
      sum[i] += one[i];
  }
  auto cut = [&](const std::vector<float> &from, size_t p) {
    auto first = from.begin() + static_cast<ptrdiff_t>(p * piece);
    return std::vector<float>(first, first + static_cast<ptrdiff_t>(piece));
  };
  std::vector<std::vector<float>> out(n);
  for (size_t p = 0; p < n; ++p)
    switch (kind) {
    case CollectiveKind::AllGather: out[p] = all; break;
    case CollectiveKind::AllReduce: out[p] = sum; break;
    case CollectiveKind::ReduceScatter: out[p] = cut(sum, p); break;
    case CollectiveKind::AllToAll:
      for (const std::vector<float> &from : x)
        for (float y : cut(from, p))
          out[p].push_back(y);
      break;
    case CollectiveKind::Broadcast: out[p] = x[0]; break;
    case CollectiveKind::Permute: out[p] = x[(p + n - 1) % n]; break;
    case CollectiveKind::Gather: out[p] = p ? std::vector<float>(all.size()) : all; break;
    case CollectiveKind::Scatter: out[p] = cut(x[0], p); break;
    }
  return out;
}

std::vector<std::vector<float>> inputs(uint32_t ranks, size_t elements) {
  std::vector<std::vector<float>> x(ranks);
  for (uint32_t r = 0; r < ranks; ++r)
    for (size_t i = 0; i < elements; ++i)
      x[r].push_back(static_cast<float>(100 * r + i));
  return x;
}

class Ranks : public testing::TestWithParam<const char *> {};

TEST_P(Ranks, EachKindOfCollective) {
  for (uint32_t ranks : {1u, 2u, 3u, 4u, 8u})
    for (uint8_t k = 0; k < kUncutKinds; ++k) {
      auto kind = static_cast<CollectiveKind>(k);
      RankModules loaded(exchangeModule(kind), ranks, {GetParam()});
      ASSERT_TRUE(loaded.ok());
      auto x = inputs(ranks, 5 * ranks), y = std::vector<std::vector<float>>(ranks);
      loaded.threads.forEach([&](uint32_t r) {
        std::unique_ptr<Invocation> call = loaded.invocation(r);
        for (int again = 0; again < 3; ++again)
          EXPECT_EQ(callVector(*call, x[r], y[r]).text(), "ok");
        EXPECT_EQ(call->statistics().collectives, 1u);
        EXPECT_EQ(call->statistics().collectiveBytes, 4 * (x[r].size() + y[r].size()));
      });
      EXPECT_EQ(y, expected(kind, x)) << contract::spelling(kind) << " among " << ranks;
    }
}

// main(x: this rank's part of 7 x f32) -> y: the parts of all ranks.
fb::ModuleT gatherPartsModule(int64_t first = 0) {
  fb::ModuleT module = emptyModule();
  addMesh(module, "m", {{"x"}});
  addCollective(module, CollectiveKind::AllGather);
  auto main = function("main", "const s3 " + std::to_string(first) + R"(
      mesh_size s9 g0 0
      const s1 7
      const s2 1
      const s4 28
      result b1 r0 x0 s4
      comm_stream t1
      record e0 t0
      wait t1 e0
      collective_cut t1 j0 b0 b1 s2 [s1 s2 s3 s9]
      record e1 t1
      wait t0 e1
      set_result r0 b1 [s1]
      return)",
                       10, 2, 2, 2);
  addSymbol(*main, "n", 0, 1 << 20);
  main->arguments.push_back(value("x", ElementType::F32, {symbol(0)}));
  main->arguments[0]->mesh = 0;
  main->arguments[0]->shards.push_back(std::make_unique<fb::RankListT>());
  main->arguments[0]->shards[0]->ranks = {0};
  main->arguments[0]->wholes = {7};
  main->results.push_back(value("y", ElementType::F32, {size(7)}));
  module.functions.push_back(std::move(main));
  return module;
}

// Sizes of parts are each rank's own: the ranks do not agree on them, and each checks its own.
TEST_P(Ranks, PartsOfSeveralSizes) {
  for (uint32_t ranks : {1u, 2u, 3u, 8u}) {
    RankModules loaded(gatherPartsModule(), ranks, {GetParam()});
    ASSERT_TRUE(loaded.ok());
    std::vector<float> whole = {1, 2, 3, 4, 5, 6, 7};
    loaded.threads.forEach([&](uint32_t r) {
      std::unique_ptr<Invocation> call = loaded.invocation(r);
      auto begin = [&](uint32_t place) { return whole.begin() + place * 7 / ranks; };
      std::vector<float> part(begin(r), begin(r + 1)), y;
      for (int again = 0; again < 3; ++again) {
        EXPECT_EQ(callVector(*call, part, y).text(), "ok");
        EXPECT_EQ(y, whole) << r << " of " << ranks;
      }
      EXPECT_EQ(call->statistics().collectiveBytes, 4 * (part.size() + whole.size()));
    });
    loaded.threads.forEach([&](uint32_t r) { // a failure ends the world, so all have done the above
      std::vector<float> part(static_cast<size_t>((r + 1) * 7 / ranks - r * 7 / ranks + 1)), y;
      std::string text = callVector(*loaded.invocation(r), part, y).text();
      EXPECT_NE(text.find(" on this rank, got "), std::string::npos) << text;
    });
  }
}

TEST_P(Ranks, CutsOfNoGroupFailTheCall) {
  RankModules loaded(gatherPartsModule(1), 2, {GetParam()});
  ASSERT_TRUE(loaded.ok());
  loaded.threads.forEach([&](uint32_t r) {
    std::unique_ptr<Invocation> call = loaded.invocation(r);
    std::vector<float> part(3 + r), y;
    EXPECT_NE(callVector(*call, part, y).text().find("2 members have no parts from 1 on of 2"), std::string::npos);
  });
}

INSTANTIATE_TEST_SUITE_P(Devices, Ranks,
                         testing::Values("local://0", "local?discrete=yes", "sim?queues=2", "4*local://0",
                                         "3*local?discrete=yes", "4*sim?queues=2"),
                         [](const auto &info) {
                           std::string name = info.param;
                           std::replace_if(name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
                           return name;
                         });

// main() -> [coordinates, sizes, member of the second mesh]: 2 x 3 ranks, then one of their own.
TEST(RankPlaces, ARankKnowsItsCoordinates) {
  fb::ModuleT module = emptyModule();
  addMesh(module, "m", {{"x", 2}, {"y"}});
  addMesh(module, "late", {{"z", 2}}, 4);
  auto main = function("main", R"(
      coordinate s0 g0 0
      coordinate s1 g0 1
      mesh_size s2 g0 1
      member s3 g1
      coordinate s4 g1 0
      const s14 40
      result b0 r0 x0 s14
      const s14 8
      const s15 0
      fill t0 b0 s15 s14 s0 8
      const s15 8
      fill t0 b0 s15 s14 s1 8
      const s15 16
      fill t0 b0 s15 s14 s2 8
      const s15 24
      fill t0 b0 s15 s14 s3 8
      const s15 32
      fill t0 b0 s15 s14 s4 8
      const s14 5
      set_result r0 b0 [s14]
      return)",
                       16, 1);
  main->results.push_back(value("out", ElementType::I64, {size(5)}));
  module.functions.push_back(std::move(main));
  RankModules loaded(std::move(module), 6, {"local://0"}, "y=3");
  ASSERT_TRUE(loaded.ok());
  loaded.threads.forEach([&](uint32_t r) {
    int64_t out[5] = {};
    heddle_tensor result{};
    result.data = out;
    result.bytes = sizeof(out);
    EXPECT_TRUE(loaded.invocation(r)->call({}, {&result, 1}).ok());
    bool late = r >= 4;
    EXPECT_EQ((std::vector<int64_t>(out, out + 5)), (std::vector<int64_t>{r / 3, r % 3, 3, late, late ? r - 4 : 0}));
  });
}

// Rows and columns of 2 x 3 ranks, and lists that leave one rank out: it gets zeros and waits for nobody.
TEST(RankPlaces, GroupsOfAxesAndOfLists) {
  struct Case {
    std::vector<uint32_t> axes;
    std::vector<std::vector<int64_t>> groups;
    std::vector<float> sums; // of the ranks' numbers
  };
  for (const Case &c :
       {Case{{0}, {}, {3, 5, 7, 3, 5, 7}}, Case{{1}, {}, {3, 3, 3, 12, 12, 12}},
        Case{{0, 1}, {}, {15, 15, 15, 15, 15, 15}}, Case{{}, {{0, 5}, {4, 1, 2}}, {5, 7, 7, 0, 7, 5}}}) {
    fb::ModuleT module = exchangeModule(CollectiveKind::AllReduce);
    module.meshes.clear();
    addMesh(module, "m", {{"x", 2}, {"y", 3}});
    module.collectives[0]->axes = c.axes;
    for (const std::vector<int64_t> &group : c.groups) {
      module.collectives[0]->groups.push_back(std::make_unique<fb::RankListT>());
      module.collectives[0]->groups.back()->ranks = group;
    }
    RankModules loaded(std::move(module), 6);
    ASSERT_TRUE(loaded.ok());
    loaded.threads.forEach([&](uint32_t r) {
      std::vector<float> x = {static_cast<float>(r)}, y;
      EXPECT_EQ(callVector(*loaded.invocation(r), x, y).text(), "ok");
      EXPECT_EQ(y, std::vector<float>{c.sums[r]}) << r;
    });
  }
}

TEST_P(Ranks, CollectivesInALoop) {
  RankModules loaded(loopModule(), 3, {GetParam()});
  ASSERT_TRUE(loaded.ok());
  loaded.threads.forEach([&](uint32_t r) {
    std::unique_ptr<Invocation> call = loaded.invocation(r);
    for (size_t n : {1000u, 1u, 0u, 77u}) {
      std::vector<float> x(n, 1), y;
      EXPECT_EQ(callVector(*call, x, y).text(), "ok");
      EXPECT_EQ(y, std::vector<float>(n, 60466176)); // 6^10
    }
    EXPECT_EQ(call->statistics().collectives, 10u);
    std::vector<float> x(77, 1), y(77);
    heddle_tensor in = tensorOf(x), out = tensorOf(y);
    EXPECT_TRUE(call->call({&in, 1}, {&out, 1}).ok());
    EXPECT_EQ(call->statistics().allocations, 0u);
  });
}

// main(x: n x f32) -> y: the sum of x over the ranks, of pieces of it, so that none waits for another one; then pieces
// of another cut, that wait for what they need; and the kernel's sum is of the last.
fb::ModuleT piecesModule() {
  fb::ModuleT module = emptyModule();
  addMesh(module, "m", {{"x"}});
  addCollective(module, CollectiveKind::AllReduce);
  addCollective(module, CollectiveKind::AllReduce).name = "again";
  auto main = function("main", R"(
      const s1 4
      mul s2 s0 s1
      const s3 12
      div_s s4 s0 s3
      mul s5 s4 s1
      const s6 8
      div_s s7 s0 s6
      mul s8 s7 s1
      const s9 0
      const s10 1
      move s11 s9
      move s12 s3
      result b1 r0 x0 s2
      comm_stream t1
      copy t0 b1 s9 b0 s9 s2
      record e0 t0
      wait t1 e0
@pieces view b2 b1 s11 s5
      collective t1 j0 b2 b2 s4
      add s11 s11 s5
      sub s12 s12 s10
      br_if s12 @pieces @between
@between move s11 s9
      move s12 s6
@again view b2 b1 s11 s8
      collective t1 j1 b2 b2 s7
      record e1 t1
      add s11 s11 s8
      sub s12 s12 s10
      br_if s12 @again @done
@done wait t0 e1
      set_result r0 b1 [s0]
      return)",
                       13, 3, 2, 2);
  addSymbol(*main, "n", 0, 1 << 20);
  main->arguments.push_back(value("x", ElementType::F32, {symbol(0)}));
  main->results.push_back(value("y", ElementType::F32, {symbol(0)}));
  module.functions.push_back(std::move(main));
  return module;
}

// Each piece is summed twice, whatever is in flight: the second sum of a piece comes behind the first ones that it
// meets.
TEST_P(Ranks, PiecesInFlight) {
  for (uint32_t ranks : {2u, 3u}) {
    RankModules loaded(piecesModule(), ranks, {GetParam()});
    ASSERT_TRUE(loaded.ok());
    loaded.threads.forEach([&](uint32_t r) {
      std::unique_ptr<Invocation> call = loaded.invocation(r);
      for (size_t n : {24u, 24'000u, 0u, 24u * 4000u, 48u})
        for (int round = 0; round < 5; ++round) {
          std::vector<float> x(n), y, expected(n);
          for (size_t i = 0; i < n; ++i) {
            x[i] = static_cast<float>((r + 1) * (i % 100));
            for (uint32_t other = 0; other < ranks; ++other)
              expected[i] += static_cast<float>(ranks * (other + 1) * (i % 100));
          }
          ASSERT_EQ(callVector(*call, x, y).text(), "ok");
          ASSERT_EQ(y, expected);
          ASSERT_EQ(call->statistics().collectives, 20u);
        }
    });
  }
}

// Bind functions take their rank's half of a parameter.
TEST_P(Ranks, ParametersByShard) {
  fb::ModuleT module = emptyModule();
  addMesh(module, "m", {{"x"}});
  auto parameter = std::make_unique<fb::ParameterT>();
  parameter->key = "weights";
  parameter->type = static_cast<uint8_t>(ElementType::F32);
  parameter->shape = {4};
  parameter->bytes = 16;
  module.parameters.push_back(std::move(parameter));
  module.bounds.push_back(std::make_unique<fb::BoundT>());
  module.bounds[0]->name = "half";
  module.bounds[0]->buffer = true;
  auto bind = function("__bind", R"(
      coordinate s0 g0 0
      const s1 8
      mul s0 s0 s1
      parameter_slice b0 p0 x0 s0 s1
      bind_buffer n0 b0
      return)",
                       2, 1);
  bind->bind = true;
  auto main = function("main", R"(
      const s0 8
      const s1 0
      bound_buffer b0 n0
      result b1 r0 x0 s0
      copy t0 b1 s1 b0 s1 s0
      const s0 2
      set_result r0 b1 [s0]
      return)",
                       2, 2);
  main->results.push_back(value("y", ElementType::F32, {size(2)}));
  module.functions.push_back(std::move(bind));
  module.functions.push_back(std::move(main));
  contract::ArtifactBuilder builder;
  std::vector<float> weights = {1, 2, 3, 4};
  builder.addParameter(*module.parameters[0], std::as_bytes(std::span(weights)));
  std::vector<std::byte> code = kernelCode();
  for (auto &executable : module.executables)
    builder.addCode(*executable->variants[0], code);
  RankModules loaded(AlignedBytes(builder.assemble(module)), 2, {GetParam()});
  ASSERT_TRUE(loaded.ok());
  loaded.threads.forEach([&](uint32_t r) {
    std::vector<float> y(2);
    heddle_tensor out = tensorOf(y);
    EXPECT_EQ(loaded.invocation(r)->call({}, {&out, 1}).text(), "ok");
    EXPECT_EQ(y, (std::vector<float>{2.0f * r + 1, 2.0f * r + 2}));
    bool isDiscrete = std::string(GetParam()).find("discrete") != std::string::npos;
    EXPECT_EQ(loaded.modules[r]->statistics().uploadedBytes, isDiscrete ? 8u : 0u);
  });
}

} // namespace
