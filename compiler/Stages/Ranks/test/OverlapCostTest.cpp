// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/OverlapCost.h"

#include <gtest/gtest.h>

using namespace mlir::heddle;
using ::heddle::contract::CollectiveKind;

namespace {

// A product of rows of 1,024 by 1,024 columns, and what is moved of it, of so many rows a rank.
Overlap product(CollectiveKind kind, bool feeds, int64_t rows) {
  auto count = static_cast<uint64_t>(rows);
  Overlap overlap{.kind = kind};
  overlap.feeds = feeds;
  overlap.members = 4;
  overlap.extent = rows;
  overlap.movedBytes = 4096 * count;
  overlap.works = {{2 * 1024 * 1024 * count, 8192 * count, 4 << 20}};
  overlap.joins = {{1024 * count, 8192 * count}};
  return overlap;
}

// Several in flight wait for the delay of a link together.
TEST(OverlapCost, DelaysOverlap) {
  flow::DeviceModel model;
  model.ranks.bandwidthGbps = 100;
  model.ranks.latencyUs = 20'000;
  Overlap overlap = product(CollectiveKind::AllGather, true, 1 << 15);
  overlap.joins.clear();
  uint64_t delay = 3 * 20'000'000; // of three steps
  uint64_t four = overlapNs(overlap, 4, model), eight = overlapNs(overlap, 8, model);
  EXPECT_LT(four, overlapNs(overlap, 1, model) + delay / 2);
  EXPECT_LT(eight, four + 2 * delay);
}

} // namespace
