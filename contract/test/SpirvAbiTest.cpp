// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heddle/contract/SpirvAbi.h"

#include <gtest/gtest.h>

namespace spirv = heddle::contract::spirv;

TEST(SpirvAbi, WordsOfTheArgumentBlock) {
  EXPECT_EQ(spirv::argumentBinding(3), 3u);
  EXPECT_EQ(spirv::offsetWord(0), 2u);
  EXPECT_EQ(spirv::constantWord(3, 0), 5u);
  EXPECT_EQ(spirv::constantWord(3, 2), 9u);
  EXPECT_EQ(spirv::addressWord(3, 2, 0), 9u);
  EXPECT_EQ(spirv::addressWord(3, 2, 2), 13u);
  EXPECT_EQ(spirv::argumentWords(3, 2), 15u);
  EXPECT_EQ(spirv::argumentWords(0, 0), 2u);
}

TEST(SpirvAbi, GridCoversEveryWorkgroup) {
  for (uint32_t maxX : {65535u, INT32_MAX + 0u})
    for (int64_t n :
         {int64_t{1}, int64_t{2}, int64_t{65535}, int64_t{65536}, int64_t{1} << 20, spirv::kMaxWorkgroups}) {
      spirv::Grid grid = spirv::gridOf(n, maxX);
      uint64_t all = uint64_t{grid.x} * grid.y;
      EXPECT_LE(grid.x, maxX);
      EXPECT_LE(grid.y, 65535u);
      EXPECT_GE(all, static_cast<uint64_t>(n));
      EXPECT_LT(all, uint64_t{1} << 32) << "ids are 32-bit words";
      EXPECT_LT(all - n, grid.x);
    }
}
