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

// Of a free size: few positions are whole, many are cut, and none is slower than whole, also between the extents that
// are tried.
TEST(OverlapCost, FreeSizesAreNeverSlower) {
  flow::DeviceModel model;
  unsigned cut = 0;
  for (double linkGbps : {0.1, 1.0, 10.0, 1000.0})
    for (double linkUs : {0.0, 10.0, 1000.0})
      for (bool feeds : {false, true})
        for (int64_t members : {int64_t(2), int64_t(7), Overlap::kFree}) {
          model.ranks.bandwidthGbps = linkGbps;
          model.ranks.latencyUs = linkUs;
          Overlap any = product(feeds ? CollectiveKind::AllGather : CollectiveKind::AllReduce, feeds, 64);
          any.members = members;
          FreeChoice choice = chooseFree(any, model);
          cut += choice.most > 1;
          for (int64_t rows : {1, 2, 5, 9, 31, 100, 257, 1000, 5000, 77777}) {
            Overlap known = product(any.kind, feeds, rows);
            known.members = members;
            unsigned pieces = choice.piecesOf(rows);
            EXPECT_LE(pieces, choice.most);
            std::optional<uint64_t> ns = sumNs(known, pieces, model);
            ASSERT_TRUE(ns) << rows << " rows, " << linkGbps << " GB/s, " << linkUs << " us";
            EXPECT_LE(*ns, *sumNs(known, 1, model)) << rows << " rows, " << linkGbps << " GB/s, " << linkUs << " us";
          }
        }
  EXPECT_GE(cut, 24u); // of 72
}

} // namespace
