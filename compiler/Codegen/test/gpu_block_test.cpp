// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/GPU/GpuBlock.h"

#include "mlir/IR/BuiltinTypeInterfaces.h"

#include <gtest/gtest.h>

using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

namespace {

constexpr gpu::GpuFeatures kSmall{.invocations = 64, .sharedBytes = 16 << 10, .subgroup = 32};
constexpr gpu::GpuFeatures kLarge{.invocations = 128, .sharedBytes = 48 << 10, .subgroup = 32};

GpuProduct product(int64_t rows, int64_t columns, int64_t depth, int64_t bytes = 4) {
  return {.rows = rows, .columns = columns, .depth = depth, .rowBytes = bytes, .columnBytes = bytes, .sumBytes = bytes};
}

std::array<int64_t, 3> shape(const GpuBlock &block) { return {block.rows(), block.columns(), block.depth}; }

TEST(GpuBlock, FollowsTheDevice) {
  using Shape = std::array<int64_t, 3>;
  EXPECT_EQ(shape(*chooseBlock(product(1024, 1024, 1024), kSmall)), (Shape{32, 32, 16}));
  EXPECT_EQ(shape(*chooseBlock(product(1024, 1024, 1024), kLarge)), (Shape{64, 128, 16}));
  // Sums of eight bytes take two words.
  EXPECT_EQ(shape(*chooseBlock(product(1024, 1024, 1024, 8), kLarge)), (Shape{32, 128, 16}));
}

TEST(GpuBlock, LeavesRoomForASecondWorkgroup) {
  gpu::GpuFeatures features = kSmall;
  features.sharedBytes = 4 << 10;
  std::optional<GpuBlock> block = chooseBlock(product(1024, 1024, 1024), features);
  EXPECT_EQ(block->depth, 4);
  EXPECT_LE(block->sharedBytes(product(1024, 1024, 1024)), features.sharedBytes / 2);
  features.sharedBytes = 2 << 10;
  EXPECT_FALSE(chooseBlock(product(1024, 1024, 1024), features));
}

TEST(GpuBlock, KeepsTheDeviceAtWork) {
  EXPECT_EQ(chooseBlock(product(130, 129, 64), kSmall)->tileRows, 2);
  EXPECT_FALSE(chooseBlock(product(100, 100, 64), kSmall));
}

TEST(GpuBlock, NotForWhatIsSmallerThanABlock) {
  EXPECT_FALSE(chooseBlock(product(1, 65536, 1024), kSmall));
  EXPECT_FALSE(chooseBlock(product(65536, 8, 1024), kSmall));
  EXPECT_FALSE(chooseBlock(product(1024, 1024, 15), kSmall));
  EXPECT_FALSE(chooseBlock(product(1024, 1024, 0), kSmall));
}

TEST(GpuBlock, NotWhereSubgroupsAreNarrowOrNotKnown) {
  for (int64_t subgroup : {0, 4, 8}) {
    gpu::GpuFeatures features = kSmall;
    features.subgroup = subgroup;
    EXPECT_FALSE(chooseBlock(product(1024, 1024, 1024), features)) << subgroup;
  }
}

// Every invocation has a place of its own, whatever the subgroup's size is said to be.
TEST(GpuBlock, SubgroupsFillTheGrid) {
  for (int64_t invocations : {16, 32, 64, 128, 256, 1024})
    for (int64_t subgroup : {16, 20, 32, 64, 2048}) {
      gpu::GpuFeatures features = kLarge;
      features.invocations = invocations;
      features.subgroup = subgroup;
      std::optional<GpuBlock> block = chooseBlock(product(4096, 4096, 4096), features);
      ASSERT_TRUE(block) << invocations << " " << subgroup;
      EXPECT_EQ(block->gridRows * block->gridColumns, invocations);
      EXPECT_EQ(block->gridRows % block->subgroupRows, 0);
      EXPECT_EQ(block->gridColumns % block->subgroupColumns, 0);
      EXPECT_LE(block->sharedBytes(product(4096, 4096, 4096)), features.sharedBytes / 2);
    }
}

TEST(GpuBlock, SizesNotKnownCountAsUsual) {
  EXPECT_TRUE(chooseBlock(product(mlir::ShapedType::kDynamic, 1024, 384), kSmall));
  EXPECT_FALSE(chooseBlock(product(mlir::ShapedType::kDynamic, 64, 384), kSmall));
}

} // namespace
