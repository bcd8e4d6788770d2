// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heddle/contract/Collectives.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

using namespace heddle::contract;

namespace {

using Sizes = std::vector<int64_t>;

CollectiveSpec along(std::vector<uint32_t> axes, CollectiveKind kind = CollectiveKind::AllReduce) {
  CollectiveSpec spec;
  spec.kind = kind;
  spec.group.axes = std::move(axes);
  return spec;
}

CollectiveSpec listed(std::vector<std::vector<int64_t>> groups, CollectiveKind kind = CollectiveKind::AllReduce) {
  CollectiveSpec spec;
  spec.kind = kind;
  spec.group.groups = std::move(groups);
  return spec;
}

CollectiveSpec permute(std::vector<int64_t> pairs, int64_t shift = 0) {
  CollectiveSpec spec = along({0}, CollectiveKind::Permute);
  spec.pairs = std::move(pairs);
  spec.shift = shift;
  return spec;
}

// Every rank's place agrees with the members of its group, and groups are disjoint and whole.
void expectPartition(const GroupSpec &group, const Sizes &sizes, int64_t members) {
  std::set<int64_t> seen;
  for (int64_t rank = 0; rank < *ranksOf(sizes); ++rank) {
    GroupPlace place = *placeOf(group, sizes, rank);
    std::vector<int64_t> all = membersOf(group, sizes, rank);
    ASSERT_EQ(place.size, members);
    ASSERT_EQ(static_cast<int64_t>(all.size()), members);
    EXPECT_EQ(all[place.position], rank);
    for (int64_t member : all)
      EXPECT_EQ(placeOf(group, sizes, member)->color, place.color);
    if (place.position == 0)
      seen.insert(all.begin(), all.end());
  }
  EXPECT_EQ(static_cast<int64_t>(seen.size()), *ranksOf(sizes));
}

TEST(Collectives, GroupsOfAxes) {
  Sizes sizes = {2, 3, 4};
  EXPECT_EQ(coordinatesOf(sizes, 23), (Sizes{1, 2, 3}));
  EXPECT_EQ(membersOf({{0}, {}}, sizes, 17), (Sizes{5, 17}));
  EXPECT_EQ(membersOf({{1}, {}}, sizes, 17), (Sizes{13, 17, 21}));
  EXPECT_EQ(membersOf({{0, 1}, {}}, sizes, 1), (Sizes{1, 5, 9, 13, 17, 21}));
  EXPECT_EQ(membersOf({{1, 0}, {}}, sizes, 1), (Sizes{1, 13, 5, 17, 9, 21})); // the first named is the slowest
  EXPECT_EQ(placeOf({{1, 0}, {}}, sizes, 13)->position, 1);
  for (uint32_t first : {0, 1, 2}) {
    expectPartition({{first}, {}}, sizes, sizes[first]);
    for (uint32_t second : {0, 1, 2})
      if (first != second)
        expectPartition({{first, second}, {}}, sizes, sizes[first] * sizes[second]);
  }
  expectPartition({{2, 0, 1}, {}}, sizes, 24);
  expectPartition({{}, {{5, 0}, {1, 4}, {3, 2}}}, {6}, 2);
  EXPECT_FALSE(placeOf({{}, {{0, 1}}}, Sizes{3}, 2));
  EXPECT_EQ(membersOf({{}, {{0, 1}}}, Sizes{3}, 2), Sizes{});
}

TEST(Collectives, Partners) {
  for (int64_t size : {1, 2, 5})
    for (int64_t shift : {0, 1, 3, -1, -7, 12})
      for (int64_t p = 0; p < size; ++p) {
        Partners partners = partnersOf(permute({}, shift), p, size);
        EXPECT_EQ(partnersOf(permute({}, shift), partners.to, size).from, p);
        EXPECT_EQ(((p + shift) % size + size) % size, partners.to);
      }
  EXPECT_EQ(partnersOf(permute({0, 2, 2, 0}), 2, 3).to, 0);
  EXPECT_EQ(partnersOf(permute({0, 2}), 0, 3).from, -1);
  EXPECT_EQ(partnersOf(permute({0, 2}), 1, 3).to, -1);
}

TEST(Collectives, Sizes) {
  EXPECT_EQ(ranksOf(Sizes{2, 3}), 6);
  EXPECT_EQ(ranksOf(Sizes{2, -1}), kFreeSize);
  EXPECT_FALSE(ranksOf(Sizes{2, 0}));
  EXPECT_FALSE(ranksOf(Sizes{-2}));
  EXPECT_FALSE(ranksOf(Sizes{1 << 20, 2, -1}));
  EXPECT_FALSE(ranksOf(Sizes{INT64_MAX, INT64_MAX}));
  EXPECT_EQ(groupSize(along({1}).group, Sizes{2, -1}), kFreeSize);
  EXPECT_EQ(groupSize(along({0}).group, Sizes{2, -1}), 2);
}

TEST(Collectives, WhatNoRanksCanRun) {
  Sizes two = {2, 3}, open = {2, -1};
  EXPECT_EQ(explainCollective(along({0, 1}), two), "");
  EXPECT_EQ(explainCollective(along({2}), two), "axis 2 of 2");
  EXPECT_EQ(explainCollective(along({1, 1}), two), "axis 1 is named twice");
  EXPECT_EQ(explainCollective(along({}), two), "it joins no axis and no groups");
  CollectiveSpec both = listed({{0}});
  both.group.axes = {0};
  EXPECT_EQ(explainCollective(both, two), "it has axes and groups");
  EXPECT_EQ(explainCollective(listed({{0, 6}}), two), "rank 6 is not in the mesh of 6 ranks");
  EXPECT_EQ(explainCollective(listed({{0, 6}}), open), "");
  EXPECT_EQ(explainCollective(listed({{0, -1}}), open), "rank -1 is not in the mesh");
  EXPECT_EQ(explainCollective(listed({{0, 1}, {2, 1}}), two), "rank 1 is in the groups twice");
  EXPECT_EQ(explainCollective(listed({{0, 1}, {}}), two), "a group has no members");
  EXPECT_EQ(explainCollective(listed({{0, 1}, {2}}), two), "");
  EXPECT_EQ(explainCollective(listed({{0, 1}, {2}}, CollectiveKind::AllGather), two),
            "groups of 2 and of 1 members; all must have as many pieces");
  EXPECT_EQ(explainCollective(along({0}), Sizes{0, 1}), "a mesh has from 1 to 1048576 ranks");
}

TEST(Collectives, WrongRootsPairsAndReductions) {
  Sizes two = {2, 3}, open = {2, -1};
  auto rooted = [](uint32_t axis, int64_t root) {
    CollectiveSpec spec = along({axis}, CollectiveKind::Broadcast);
    spec.root = root;
    return spec;
  };
  EXPECT_EQ(explainCollective(rooted(0, 1), two), "");
  EXPECT_EQ(explainCollective(rooted(0, 2), two), "root 2 is not in a group of 2 members");
  EXPECT_EQ(explainCollective(rooted(1, 9), open), "");
  EXPECT_EQ(explainCollective(rooted(1, 9), two), "root 9 is not in a group of 3 members");
  EXPECT_EQ(explainCollective(rooted(1, -1), open), "root -1 is not in a group");
  CollectiveSpec reduce = along({0});
  reduce.root = 1;
  EXPECT_EQ(explainCollective(reduce, two), "all_reduce has no root");
  EXPECT_EQ(explainCollective(permute({0, 1, 1, 0}), two), "");
  EXPECT_EQ(explainCollective(permute({0, 1, 0}), two), "pairs are two positions each, got 3 positions");
  EXPECT_EQ(explainCollective(permute({0, 1, 0, 0}), two), "position 0 sends twice");
  EXPECT_EQ(explainCollective(permute({0, 1, 1, 1}), two), "position 1 receives twice");
  EXPECT_EQ(explainCollective(permute({0, 2}), two), "position 2 of a pair is not in a group of 2 members");
  EXPECT_EQ(explainCollective(permute({0, 1}, 1), two), "it has pairs and a shift");
  CollectiveSpec shifted = along({0});
  shifted.shift = 1;
  EXPECT_EQ(explainCollective(shifted, two), "all_reduce has no pairs and no shift");
  auto reduction = [](Reduction reduction, ElementType type, CollectiveKind kind = CollectiveKind::AllReduce) {
    CollectiveSpec spec = along({0}, kind);
    spec.reduction = reduction;
    spec.type = type;
    return spec;
  };
  EXPECT_EQ(explainCollective(reduction(Reduction::Xor, ElementType::F32), two), "there is no 'xor' of f32");
  EXPECT_EQ(explainCollective(reduction(Reduction::Sum, ElementType::I1), two), "there is no 'sum' of i1");
  EXPECT_EQ(explainCollective(reduction(Reduction::Sum, ElementType::F8E5M2), two),
            "there is no 'sum' of f8E5M2; convert the elements to a wider type before");
  EXPECT_EQ(explainCollective(reduction(Reduction::Sum, ElementType::U4), two),
            "there is no 'sum' of ui4; convert the elements to a wider type before");
  EXPECT_EQ(explainCollective(reduction(Reduction::Max, ElementType::F8E8M0FNU), two),
            "there is no 'max' of f8E8M0FNU; convert the elements to a wider type before");
  EXPECT_EQ(explainCollective(reduction(Reduction::Or, ElementType::I1), two), "");
  EXPECT_EQ(explainCollective(reduction(Reduction::Max, ElementType::BF16), two), "");
  EXPECT_EQ(explainCollective(reduction(Reduction::Max, ElementType::F32, CollectiveKind::AllGather), two),
            "all_gather reduces nothing");
}

TEST(Collectives, Cuts) {
  // 66 rows over 4, as every place says: floor(s * G / n) * g.
  Cut cut{66, 1, 0, 4};
  EXPECT_EQ(cut.begin(4), 66);
  for (auto [place, size] : {std::pair(0, 16), {1, 17}, {2, 16}, {3, 17}})
    EXPECT_EQ(cut.size(place), size);
  // The second half of them: a group of the inner axis.
  Cut nested{66, 1, 2, 4};
  EXPECT_EQ(nested.begin(0), 0);
  EXPECT_EQ(nested.begin(1), 16);
  EXPECT_EQ(nested.begin(2), 33);
  Cut granules{7, 64, 0, 8};
  EXPECT_EQ(granules.begin(8), 448);
  EXPECT_EQ(granules.size(0), 0);
  EXPECT_EQ(granules.size(1), 64);
  // Parts of parts are parts.
  for (int64_t size = 0; size < 40; ++size)
    for (int64_t outer : {1, 2, 3, 5})
      for (int64_t inner : {1, 2, 3, 7})
        for (int64_t x = 0; x <= outer; ++x)
          EXPECT_EQ(partBegin(x * inner, outer * inner, size, 3), partBegin(x, outer, size, 3));
  // Products beyond 64 bits.
  EXPECT_EQ(partBegin(kMaxRanks, kMaxRanks, int64_t(1) << 61, 2), int64_t(1) << 62);
  EXPECT_EQ(explainCut(cut, 4), "");
  EXPECT_EQ(explainCut(nested, 3), "3 members have no parts from 2 on of 4");
  EXPECT_EQ(explainCut({66, 1, -1, 4}, 1), "1 members have no parts from -1 on of 4");
  EXPECT_EQ(explainCut({-1, 1, 0, 4}, 4), "there are no -1 granules of 1 positions");
  EXPECT_EQ(explainCut({1, 0, 0, 4}, 4), "there are no 1 granules of 0 positions");
  EXPECT_EQ(explainCut({int64_t(1) << 40, int64_t(1) << 40, 0, 4}, 4),
            "there are no 1099511627776 granules of 1099511627776 positions");
  EXPECT_EQ(explainCut({66, 1, 0, 0}, 1), "there are from 1 to 1048576 parts, got 0");
}

TEST(Collectives, ElementsOfCuts) {
  std::vector<Cut> one{{7, 1, 0, 3}}, two{{7, 1, 0, 3}, {5, 2, 0, 3}}; // 2 2 3 and 2 4 4
  EXPECT_EQ(sourceElements(CollectiveKind::AllGather, one, 10, 2, 3), 30);
  EXPECT_EQ(targetElements(CollectiveKind::AllGather, one, 10, 2, 3), 70);
  EXPECT_EQ(sourceElements(CollectiveKind::Scatter, one, 10, 2, 3), 70);
  EXPECT_EQ(targetElements(CollectiveKind::Scatter, one, 10, 2, 3), 30);
  EXPECT_EQ(sourceElements(CollectiveKind::AllToAll, two, 10, 0, 3), 7 * 2 * 10);
  EXPECT_EQ(targetElements(CollectiveKind::AllToAll, two, 10, 0, 3), 2 * 10 * 10);
  EXPECT_EQ(sourceElements(CollectiveKind::AllToAll, {}, 10, 0, 3), 30);
  EXPECT_EQ(cutsOf(CollectiveKind::AllToAll), 2u);
  EXPECT_EQ(cutsOf(CollectiveKind::ReduceScatter), 1u);
  EXPECT_EQ(cutsOf(CollectiveKind::AllReduce), 0u);
}

// By the words of the header, position by position.
TEST(Collectives, Exchanges) {
  std::mt19937_64 random(7);
  const auto draw = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  };
  for (int round = 0; round < 2000; ++round) {
    const int64_t members = draw(1, 9), granule = draw(1, 3);
    const Cut cuts[4] = {{draw(0, 20), granule, 0, members},
                         {draw(0, 20), draw(1, 2), 0, members},
                         {draw(0, 3), draw(0, 4), draw(-9, 9), draw(0, 3)},
                         {draw(0, 1) * draw(0, 4), draw(0, 1) * draw(0, 4), 0, 0}};
    ASSERT_EQ(explainCuts(CollectiveKind::Exchange, cuts, members), "");
    const Window window = windowOf(cuts);
    int64_t most = 0;
    for (int64_t to = 0; to < members; ++to) {
      std::set<int64_t> read;
      for (int64_t i = cuts[1].begin(to); i < cuts[1].begin(to + 1); ++i)
        for (int64_t at = window.scale * i + window.first, k = 0; k < window.extent; ++k)
          read.insert(at + k);
      const Positions needed = neededOf(cuts, to);
      // Of all between the first and the last, also of what strides leave out, what there is.
      const int64_t low = -window.low, high = cuts[0].begin(members) + window.high;
      if (!read.empty())
        EXPECT_EQ(needed, (Positions{std::clamp(*read.begin(), low, high), std::clamp(*read.rbegin() + 1, low, high)}));
      else if (window.extent > 0)
        EXPECT_EQ(needed.size(), 0);
      EXPECT_GE(needed.size(), 0);
      int64_t got = 0, own = 0;
      for (int64_t from = 0; from < members; ++from) {
        const Positions moved = movedBetween(cuts, from, to);
        got += moved.size();
        own = from == to ? moved.size() : own;
        const auto [first, end] = sendersTo(cuts, to);
        const auto [lowest, highest] = receiversOf(cuts, from);
        if (moved.size()) {
          EXPECT_TRUE(first <= from && from < end);
          EXPECT_TRUE(lowest <= to && to < highest);
        }
      }
      const auto [front, behind] = zerosOf(cuts, to);
      int64_t zeros = 0;
      for (int64_t at = needed.begin; at < needed.end; ++at)
        zeros += at < 0 || at >= cuts[0].begin(members);
      EXPECT_EQ(front + behind, zeros);
      EXPECT_EQ(got + zeros, needed.size());
      EXPECT_EQ(targetElements(CollectiveKind::Exchange, cuts, 5, to, members), 5 * window.rows * needed.size());
      EXPECT_EQ(sourceElements(CollectiveKind::Exchange, cuts, 5, to, members), 5 * window.rows * cuts[0].size(to));
      most = std::max(most, got - own);
    }
    EXPECT_EQ(mostExchanged(cuts), most);
  }
}

TEST(Collectives, WrongExchanges) {
  const auto explain = [](std::vector<Cut> cuts) {
    cuts.resize(4, {0, 0, 0, 0});
    return explainCuts(CollectiveKind::Exchange, cuts, 2);
  };
  EXPECT_EQ(explain({{8, 1, 0, 2}, {8, 1, 0, 2}, {1, 3, -1, 1}}), "");
  EXPECT_EQ(explain({{8, 1, 0, 4}, {8, 1, 0, 2}, {1, 3, -1, 1}}),
            "an exchange is of all parts of a dimension, got 2 members from 0 on of 4");
  EXPECT_EQ(explain({{8, 1, 0, 2}, {8, 1, 1, 3}, {1, 3, -1, 1}}),
            "an exchange is of all parts of a dimension, got 2 members from 1 on of 3");
  EXPECT_EQ(explain({{8, 0, 0, 2}, {8, 1, 0, 2}, {1, 3, -1, 1}}), "there are no 8 granules of 0 positions");
  for (Cut window : {Cut{-1, 3, 0, 1}, Cut{1, -3, 0, 1}, Cut{1, 3, 0, -1}, Cut{INT64_MAX, 1, 0, 1}})
    EXPECT_TRUE(explain({{8, 1, 0, 2}, {8, 1, 0, 2}, window}).starts_with("there are no windows of ")) << window.first;
  // Formulas beyond 64 bits.
  const Cut large[4] = {
      {int64_t(1) << 61, 1, 0, 2}, {int64_t(1) << 61, 1, 0, 2}, {int64_t(1) << 60, 1, 0, 1}, {0, 0, 0, 0}};
  EXPECT_EQ(neededOf(large, 0), (Positions{0, int64_t(1) << 61}));
  EXPECT_EQ(neededOf(large, 1).size(), 0);
  const int64_t two[] = {2};
  CollectiveSpec lists;
  lists.kind = CollectiveKind::Exchange;
  lists.group.groups = {{0, 1}};
  EXPECT_EQ(explainCollective(lists, two), "an exchange is along axes, not over lists of ranks");
}

} // namespace
