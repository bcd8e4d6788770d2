// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Encode/WinogradTile.h"

#include "gtest/gtest.h"

using namespace mlir::heddle;
using namespace mlir::heddle::encode;

static constexpr WinogradCosts kCosts{.input = 12, .output = 12, .leastRows = 36, .most = 0.8, .mostOfSmall = 0.85};

static int64_t choose(int64_t size, int64_t channels, int64_t filters) {
  return chooseWinogradTile({1, size, size, channels, filters}, kCosts);
}

TEST(WinogradTile, LargeMapsHaveLargeTiles) {
  EXPECT_EQ(choose(56, 64, 64), 4);
  EXPECT_EQ(choose(28, 128, 128), 4);
  EXPECT_EQ(chooseWinogradTile({std::nullopt, std::nullopt, std::nullopt, 64, 64}, kCosts), 4);
}

TEST(WinogradTile, SmallMapsHaveTilesThatWeightsFill) {
  EXPECT_EQ(choose(14, 256, 256), 2);
  EXPECT_EQ(choose(7, 512, 512), 0);
  EXPECT_EQ(chooseWinogradTile({4, 7, 7, 512, 512}, kCosts), 2);
}

TEST(WinogradTile, WhatTransformsCostIsNotWorthIt) {
  EXPECT_EQ(choose(224, 3, 64), 0);
  EXPECT_EQ(choose(56, 64, 3), 0);
  EXPECT_EQ(choose(1, 64, 64), 0);
  EXPECT_EQ(choose(3, 512, 512), 0);
}
