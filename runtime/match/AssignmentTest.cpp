// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/match/Assignment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

using namespace heddle;

namespace {

using Got = std::vector<std::optional<size_t>>;

std::vector<size_t> thingsOf(std::span<const Wish> wishes, const Got &got) {
  std::vector<size_t> out;
  for (size_t w = 0; w < wishes.size(); ++w)
    out.push_back(got[w] ? wishes[w].choices[*got[w]].thing : SIZE_MAX);
  return out;
}

TEST(Assignment, AlikeTakersGetThingsInOrder) {
  std::vector<Wish> wishes(3, Wish{{{0, 0}, {1, 0}, {2, 0}}});
  EXPECT_EQ(thingsOf(wishes, assign(wishes, 3)), (std::vector<size_t>{0, 1, 2}));
}

TEST(Assignment, WhoHasLessChoiceIsServed) {
  std::vector<Wish> wishes = {{{{0, 0}, {1, 0}}}, {{{0, 0}}}};
  EXPECT_EQ(thingsOf(wishes, assign(wishes, 2)), (std::vector<size_t>{1, 0}));
}

TEST(Assignment, WhoIsNotNeededTakesNoLevelAway) {
  std::vector<Wish> wishes = {{{{0, 0}, {1, 1}}}, {{{0, 0}}, false}};
  EXPECT_EQ(thingsOf(wishes, assign(wishes, 2)), (std::vector<size_t>{0, SIZE_MAX}));
  wishes[1].needed = true;
  EXPECT_EQ(thingsOf(wishes, assign(wishes, 2)), (std::vector<size_t>{1, 0}));
}

// What the header lists, the smaller the better; matched ones count first.
std::vector<int64_t> costOf(std::span<const Wish> wishes, const Got &got) {
  std::vector<int64_t> cost;
  for (bool needed : {true, false}) {
    std::vector<int64_t> matched = {0}, levels;
    for (size_t w = 0; w < wishes.size(); ++w)
      if (wishes[w].needed == needed) {
        matched[0] -= got[w].has_value();
        matched.push_back(!got[w]);
        levels.push_back(got[w] ? wishes[w].choices[*got[w]].level : 0);
      }
    cost.insert(cost.end(), matched.begin(), matched.end());
    cost.insert(cost.end(), levels.begin(), levels.end());
  }
  for (size_t w = 0; w < wishes.size(); ++w)
    cost.push_back(got[w] ? static_cast<int64_t>(*got[w]) : 0);
  return cost;
}

// The best of all assignments there are.
std::vector<int64_t> leastCost(std::span<const Wish> wishes, size_t things) {
  std::vector<int64_t> best;
  Got got(wishes.size());
  std::vector<bool> used(things);
  std::function<void(size_t)> go = [&](size_t w) {
    if (w == wishes.size()) {
      std::vector<int64_t> cost = costOf(wishes, got);
      if (best.empty() || cost < best)
        best = cost;
      return;
    }
    got[w].reset();
    go(w + 1);
    for (size_t c = 0; c < wishes[w].choices.size(); ++c)
      if (size_t thing = wishes[w].choices[c].thing; !used[thing]) {
        used[thing] = true;
        got[w] = c;
        go(w + 1);
        used[thing] = false;
        got[w].reset();
      }
  };
  go(0);
  return best;
}

std::vector<Wish> randomWishes(std::mt19937 &random, size_t things) {
  std::vector<Wish> wishes(random() % 6);
  for (Wish &wish : wishes) {
    wish.needed = random() % 4;
    for (uint32_t level = 0; level < 1 + random() % 3; ++level)
      for (uint32_t thing = 0; thing < things; ++thing)
        if (random() % 3 == 0)
          wish.choices.push_back({thing, level});
  }
  return wishes;
}

TEST(Assignment, IsTheBestOfAll) {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    std::mt19937 random(seed);
    size_t things = 1 + random() % 4;
    std::vector<Wish> wishes = randomWishes(random, things);
    Got got = assign(wishes, things);
    std::vector<size_t> taken = thingsOf(wishes, got);
    std::erase(taken, SIZE_MAX);
    std::sort(taken.begin(), taken.end());
    EXPECT_EQ(std::adjacent_find(taken.begin(), taken.end()), taken.end()) << "seed " << seed;
    EXPECT_EQ(costOf(wishes, got), leastCost(wishes, things)) << "seed " << seed;
  }
}

std::vector<Choice> range(uint32_t begin, uint32_t end, uint32_t level) {
  std::vector<Choice> out;
  for (uint32_t thing = begin; thing < end; ++thing)
    out.push_back({thing, level});
  return out;
}

TEST(Assignment, ManyAlikeAreQuick) {
  for (uint32_t things : {2048u, 4096u}) {
    std::vector<Wish> wishes(4096, Wish{range(0, things, 0)});
    Got got = assign(wishes, things);
    for (size_t w = 0; w < wishes.size(); ++w)
      EXPECT_EQ(got[w], w < things ? std::optional(w) : std::nullopt);
  }
}

// Each would have one of the first half, and half of them get one; those given last have no other choice.
TEST(Assignment, ManyOfTwoKindsAreQuick) {
  constexpr uint32_t n = 2048;
  std::vector<Wish> wishes(n, Wish{range(0, n / 2, 0)});
  for (uint32_t w = 0; w < n; ++w)
    for (Choice second : range(n / 2, n, 1))
      if (w < 3 * n / 4)
        wishes[w].choices.push_back(second);
  std::vector<size_t> things = thingsOf(wishes, assign(wishes, n));
  for (size_t w = 0; w < n; ++w)
    EXPECT_EQ(things[w], w < n / 4 ? w : w < 3 * n / 4 ? w + n / 4 : w - n / 2);
}

// A chain along which all move to make room for the last.
TEST(Assignment, ManyThatMoveAreQuick) {
  constexpr uint32_t n = 4096;
  std::vector<Wish> wishes;
  for (uint32_t w = 0; w + 1 < n; ++w)
    wishes.push_back({{{w, 0}, {w + 1, 0}}});
  wishes.push_back({{{0, 0}}});
  std::vector<size_t> things = thingsOf(wishes, assign(wishes, n));
  for (size_t w = 0; w < n; ++w)
    EXPECT_EQ(things[w], w + 1 < n ? w + 1 : 0);
}

} // namespace
