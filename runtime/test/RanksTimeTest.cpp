// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives in virtual time: a collective begins when the last rank has come, takes what the formulas say, and runs
// beside compute.
#include "RanksFixture.h"
#include "runtime/drivers/sim/SimModel.h"
#include "runtime/drivers/sim/SimTimeline.h"

#include <cmath>

using namespace heddle;
using namespace heddle::test;
using contract::test::function;
using contract::test::value;
using sim::SimKind;
using sim::SimOperation;
using sim::SimReport;
using sim::SimTimeline;

namespace {

// 1 GB/s and 10 us a step: a byte is a nanosecond.
constexpr const char *kUri = "sim://r{rank}?link_gbps=1&link_us=10&launch_us=0&workgroup_us=100";

// The formulas once more, in whole nanoseconds, for numbers of ranks that divide the bytes.
uint64_t formula(CollectiveKind kind, uint64_t n, uint64_t piece) {
  auto depth = static_cast<uint64_t>(std::ceil(std::log2(static_cast<double>(n))));
  constexpr uint64_t kStep = 10'000;
  if (n == 1)
    return 0;
  switch (kind) {
  case CollectiveKind::AllReduce: return std::min(2 * (n - 1) * (kStep + piece / n), 2 * depth * (kStep + piece));
  case CollectiveKind::Broadcast: return depth * (kStep + piece);
  case CollectiveKind::Gather:
  case CollectiveKind::Scatter: return depth * kStep + (n - 1) * piece;
  case CollectiveKind::Permute: return kStep + piece;
  default: return (n - 1) * (kStep + piece);
  }
}

TEST(RankTime, TheFormulas) {
  for (uint32_t ranks : {1u, 2u, 3u, 8u})
    for (uint8_t k = 0; k < kUncutKinds; ++k)
      for (size_t elements : {24u, 24u << 10}) {
        auto kind = static_cast<CollectiveKind>(k);
        RankModules loaded(exchangeModule(kind), ranks, {kUri});
        ASSERT_TRUE(loaded.ok());
        SimTimeline::process().reset();
        loaded.threads.forEach([&](uint32_t r) {
          std::vector<float> x(elements, 1), y;
          EXPECT_EQ(callVector(*loaded.invocation(r), x, y).text(), "ok");
        });
        uint64_t piece = 4 * elements / (contract::hasSourcePieces(kind) ? ranks : 1);
        SimReport report = SimTimeline::process().report();
        EXPECT_EQ(report.makespanNs, formula(kind, ranks, piece)) << contract::spelling(kind) << " " << ranks;
        EXPECT_EQ(report.operations.size(), ranks);
      }
}

// Rank r has r mod 4 kernels of 100 us before the collective and all have one beside it. HEDDLE_SIM_RANKS ranks.
TEST(RankTime, TheLastRankIsWaitedFor) {
  fb::ModuleT source = quadrupleModule();
  source.functions.clear();
  addMesh(source, "m", {{"x"}});
  addCollective(source, CollectiveKind::AllReduce);
  auto main = function("main", R"(
      coordinate s0 g0 0
      const s1 1
      const s2 0
      const s3 4
      const s4 4
      rem_s s0 s0 s4
      slab b0 x0 s3
      result b1 r0 x0 s3
      comm_stream t1
      br @head
@loop dispatch t0 6.0 s1 s2 [b0] []
      sub s0 s0 s1
@head br_if s0 @loop @meet
@meet fill t0 b1 s2 s3 s2 4
      record e0 t0
      wait t1 e0
      collective t1 j0 b1 b1 s1
      record e1 t1
      dispatch t0 6.0 s1 s2 [b0] []
      wait t0 e1
      dispatch t0 6.0 s1 s2 [b1] []
      set_result r0 b1 [s1]
      return)",
                       5, 2, 2, 2);
  main->results.push_back(value("y", ElementType::F32, {size(1)}));
  source.functions.push_back(std::move(main));
  const char *given = std::getenv("HEDDLE_SIM_RANKS");
  uint32_t ranks = given ? static_cast<uint32_t>(std::atoi(given)) : 4;
  RankModules loaded(std::move(source), ranks, {kUri});
  ASSERT_TRUE(loaded.ok());
  SimTimeline::process().reset();
  loaded.threads.forEach([&](uint32_t r) {
    std::vector<float> y(1);
    heddle_tensor out = tensorOf(y);
    EXPECT_EQ(loaded.invocation(r)->call({}, {&out, 1}).text(), "ok");
  });
  SimReport report = SimTimeline::process().report();
  uint64_t last = std::min(ranks - 1, 3u) * uint64_t(100'000), meets = formula(CollectiveKind::AllReduce, ranks, 4);
  for (const SimOperation &operation : report.operations)
    if (operation.kind == SimKind::Collective)
      EXPECT_EQ(operation.beginNs, last) << operation.device;
  // The last rank's kernel beside the collective takes longer than that, or not.
  EXPECT_EQ(report.makespanNs, last + std::max<uint64_t>(100'000, meets) + 100'000);
}

} // namespace
