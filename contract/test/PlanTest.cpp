// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heddle/contract/Plan.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

using namespace heddle::contract;

namespace {

TEST(Plan, ChainPeaksAtTwo) {
  Interval life[] = {{0, 1}, {1, 2}, {2, 3}};
  int64_t size[] = {100, 100, 100}, offset[3];
  EXPECT_EQ(plan(life, size, offset), 256);
  EXPECT_EQ(offset[0], 0);
  EXPECT_EQ(offset[1], 128);
  EXPECT_EQ(offset[2], 0);
}

TEST(Plan, RefusesNegativeAndOverflow) {
  Interval life[] = {{0, 1}, {0, 1}};
  int64_t negative[] = {1, -1}, huge[] = {INT64_MAX - 64, INT64_MAX - 64}, offset[2];
  EXPECT_EQ(plan(life, negative, offset), -1);
  EXPECT_EQ(plan(life, huge, offset), -1);
}

TEST(Plan, NeverOverlapsLiveBuffers) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    size_t n = 1 + random() % 40;
    std::vector<Interval> life(n);
    std::vector<int64_t> size(n), offset(n);
    for (size_t i = 0; i < n; ++i) {
      uint32_t first = random() % 50;
      life[i] = {first, first + static_cast<uint32_t>(random() % 10)};
      size[i] = random() % 1000;
    }
    int64_t total = plan(life, size, offset);
    for (size_t i = 0; i < n; ++i) {
      EXPECT_EQ(offset[i] % kPlanAlignment, 0);
      EXPECT_LE(offset[i] + size[i], total);
      for (size_t j = 0; j < i; ++j)
        if (size[i] && size[j] && life[i].first <= life[j].last && life[j].first <= life[i].last)
          EXPECT_TRUE(offset[i] + size[i] <= offset[j] || offset[j] + size[j] <= offset[i]) << i << " and " << j;
    }
  }
}

} // namespace
