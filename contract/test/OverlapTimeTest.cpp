// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heddle/contract/OverlapTime.h"

#include <gtest/gtest.h>

using namespace heddle::contract;

namespace {

constexpr OverlapRates kRates{.gflops = 100, .memoryGbps = 20, .launchUs = 1, .linkGbps = 10, .linkUs = 20};

// A product of rows of 1,024 by 1,024 columns, and what is moved of it, of so many rows a rank.
OverlapAccount product(CollectiveKind kind, bool feeds, int64_t rows) {
  auto count = static_cast<uint64_t>(rows);
  OverlapAccount overlap;
  overlap.kind = kind;
  overlap.feeds = feeds;
  overlap.members = 4;
  overlap.extent = rows;
  overlap.movedBytes = 4096 * count;
  overlap.works = {{2 * 1024 * 1024 * count, 8192 * count, 4 << 20}};
  overlap.joins = {{1024 * count, 8192 * count}};
  return overlap;
}

// Several in flight wait for the delay of a link together.
TEST(OverlapTime, DelaysOverlap) {
  OverlapRates model = kRates;
  model.linkGbps = 100;
  model.linkUs = 20'000;
  OverlapAccount overlap = product(CollectiveKind::AllGather, true, 1 << 15);
  overlap.joins.clear();
  uint64_t delay = 3 * 20'000'000; // of three steps
  uint64_t four = overlapNs(overlap, 4, model), eight = overlapNs(overlap, 8, model);
  EXPECT_LT(four, overlapNs(overlap, 1, model) + delay / 2);
  EXPECT_LT(eight, four + 2 * delay);
}

// Of a free size: few positions are whole, many are cut, and none is slower than whole, also between the extents that
// are tried.
TEST(OverlapTime, FreeSizesAreNeverSlower) {
  OverlapRates model = kRates;
  unsigned cut = 0;
  for (double linkGbps : {0.1, 1.0, 10.0, 1000.0})
    for (double linkUs : {0.0, 10.0, 1000.0})
      for (bool feeds : {false, true})
        for (int64_t members : {int64_t(2), int64_t(7), OverlapAccount::kFree}) {
          model.linkGbps = linkGbps;
          model.linkUs = linkUs;
          OverlapAccount any = product(feeds ? CollectiveKind::AllGather : CollectiveKind::AllReduce, feeds, 64);
          any.members = members;
          FreeChoice choice = chooseFree(any, model);
          cut += choice.most > 1;
          for (int64_t rows : {1, 2, 5, 9, 31, 100, 257, 1000, 5000, 77777}) {
            OverlapAccount known = product(any.kind, feeds, rows);
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

// Where the cores that compute move the bytes, too, nothing but delays is hidden: by no number of pieces.
TEST(OverlapTime, NothingIsHiddenByTheSameCores) {
  for (auto [kind, feeds] : {std::pair(CollectiveKind::AllGather, true), {CollectiveKind::AllReduce, false}})
    for (double gbps : {0.1, 1.0, 30.0}) {
      OverlapRates rates = kRates;
      rates.linkGbps = gbps;
      rates.linkUs = 0;
      OverlapAccount account = product(kind, feeds, 1024);
      uint64_t whole = overlapNs(account, 1, rates);
      unsigned apart = choosePieces(account, rates).pieces;
      rates.stalls = 1;
      EXPECT_EQ(overlapNs(account, 1, rates), whole);
      EXPECT_EQ(choosePieces(account, rates).pieces, 1u) << gbps << ", else " << apart;
    }
}

// A choice among a program's numbers is never slower than what its compiler would have taken, whatever the link.
TEST(OverlapTime, NeverSlowerThanWhatWasExpected) {
  for (auto [kind, feeds] : {std::pair(CollectiveKind::AllGather, true), {CollectiveKind::AllReduce, false}})
    for (int64_t rows : {2, 7, 64, 4096})
      for (double told : {0.05, 1.0, 25.0}) {
        OverlapRates rates = kRates;
        rates.linkGbps = told;
        OverlapAccount account = product(kind, feeds, rows);
        unsigned expected = chooseExpected(account, feeds, rates).pieces;
        std::vector<unsigned> counts = chooseCounts(account, feeds, 5, rates);
        EXPECT_NE(std::find(counts.begin(), counts.end(), expected), counts.end());
        for (double gbps : {0.003, 0.02, 0.4, 5.0, 77.0})
          for (double us : {0.2, 3.0, 45.0, 700.0}) {
            rates.linkGbps = gbps;
            rates.linkUs = us;
            EXPECT_LE(chooseAmong(account, counts, rates).ns, overlapNs(account, expected, rates));
          }
      }
}

// Few numbers of pieces do for any link: of those in between, too.
TEST(OverlapTime, FewCountsAreEnough) {
  for (auto [kind, feeds] : {std::pair(CollectiveKind::AllGather, true), {CollectiveKind::AllReduce, false}})
    for (int64_t rows : {2, 7, 64, 4096})
      for (int64_t members : {int64_t(2), int64_t(7), OverlapAccount::kFree}) {
        OverlapAccount account = product(kind, feeds, rows);
        account.members = members;
        bool around = feeds && members != OverlapAccount::kFree;
        std::vector<unsigned> counts = chooseCounts(account, around, 5, kRates);
        EXPECT_EQ(counts[0], 1u);
        EXPECT_LE(counts.size(), 5u);
        account.members = std::max<int64_t>(members, 5);
        if (members != OverlapAccount::kFree)
          account.members = members;
        for (double gbps : {0.003, 0.02, 0.4, 5.0, 77.0})
          for (double us : {0.2, 3.0, 45.0, 700.0, 20'000.0}) {
            OverlapRates rates = kRates;
            rates.linkGbps = gbps;
            rates.linkUs = us;
            uint64_t best = choosePieces(account, rates).ns;
            if (around)
              best = std::min(best, aroundNs(account, rates));
            OverlapChoice choice = chooseAmong(account, counts, rates);
            EXPECT_LE(static_cast<double>(choice.ns), 1.03 * static_cast<double>(best))
                << rows << " rows, " << members << " members, " << gbps << " GB/s, " << us << " us";
            EXPECT_LE(choice.ns, choice.wholeNs);
            EXPECT_EQ(choice.ns, overlapNs(account, choice.pieces, rates));
          }
      }
}

} // namespace
