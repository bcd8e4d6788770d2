// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which ops share a loop for the sake of one value, on functions whose ops are called by their locations.
#include "compiler/Stages/Streams/GroupGrowth.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::streams;

namespace {

class GroupGrowthTest : public ::testing::Test {
protected:
  GroupGrowthTest() {
    context.loadDialect<arith::ArithDialect, flow::FlowDialect, func::FuncDialect, HeddleDialect, linalg::LinalgDialect,
                        tensor::TensorDialect>();
  }

  void parse(const std::string &body) {
    module = parseSourceString<ModuleOp>(
        "#id = affine_map<(i, j) -> (i, j)>\n#row = affine_map<(i, j) -> (i)>\n" + body, &context);
    ASSERT_TRUE(module);
  }

  static std::string nameOf(Operation *op) {
    auto name = dyn_cast<NameLoc>(op->getLoc());
    return name ? name.getName().str() : "?";
  }

  OpResult find(StringRef name) {
    OpResult found;
    module->walk([&](linalg::LinalgOp op) {
      if (nameOf(op) == name)
        found = op->getResult(0);
    });
    return found;
  }

  // "name along axis in granules of g", in program order; "" where the value would stay whole.
  std::string grow(StringRef seed, int64_t dim, int64_t elements) {
    auto isLarge = [&](Value value) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      return type && type.getNumElements() >= elements;
    };
    std::optional<Growth> growth =
        growGroup(find(seed), dim, isLarge, [&](Operation *op) { return nameOf(op) == taken; });
    std::string text;
    if (growth)
      for (const Member &member : growth->members)
        text += (text.empty() ? "" : ", ") + nameOf(member.op) + " " + std::to_string(member.axis) +
                (member.granule.isOne() ? "" : " by " + std::to_string(member.granule.factor));
    return text;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::string taken = "none";
};

const char *const kProducts = R"(
func.func @f(%x: tensor<64x8xf32>, %w: tensor<8x32xf32>, %v: tensor<32x8xf32>) -> tensor<64x8xf32> {
  %z = arith.constant 0.0 : f32
  %a = tensor.empty() : tensor<64x32xf32>
  %b = tensor.empty() : tensor<64x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%a : tensor<64x32xf32>) -> tensor<64x32xf32>
  %g = linalg.fill ins(%z : f32) outs(%b : tensor<64x8xf32>) -> tensor<64x8xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<64x8xf32>, tensor<8x32xf32>) outs(%f : tensor<64x32xf32>) -> tensor<64x32xf32> loc("up")
  %1 = linalg.exp ins(%0 : tensor<64x32xf32>) outs(%a : tensor<64x32xf32>) -> tensor<64x32xf32> loc("exp")
  %2 = linalg.matmul ins(%1, %v : tensor<64x32xf32>, tensor<32x8xf32>) outs(%g : tensor<64x8xf32>) -> tensor<64x8xf32> loc("down")
  %3 = linalg.abs ins(%2 : tensor<64x8xf32>) outs(%b : tensor<64x8xf32>) -> tensor<64x8xf32> loc("abs")
  return %3 : tensor<64x8xf32>
}
)";

TEST_F(GroupGrowthTest, WhatComputesAndReadsTheValue) {
  parse(kProducts);
  EXPECT_EQ(grow("exp", 0, 64 * 32), "up 0, exp 0, down 0");
  EXPECT_EQ(grow("up", 0, 64 * 32), "up 0, exp 0, down 0");
  EXPECT_EQ(
      countGranules(*growGroup(find("exp"), 0, [](Value) { return false; }, [](Operation *) { return false; })), 64);
}

TEST_F(GroupGrowthTest, SmallerValuesMakeLargerGroups) {
  parse(kProducts);
  EXPECT_EQ(grow("exp", 0, 64 * 8), "up 0, exp 0, down 0, abs 0");
}

TEST_F(GroupGrowthTest, AReducedDimensionStaysWhole) {
  parse(kProducts);
  EXPECT_EQ(grow("exp", 1, 64 * 32), ""); // down sums it up
}

TEST_F(GroupGrowthTest, WhatIsReturnedStaysWhole) {
  parse(kProducts);
  EXPECT_EQ(grow("abs", 0, 64 * 8), "");
}

TEST_F(GroupGrowthTest, WhatBelongsToAnotherLoopStaysWhole) {
  parse(kProducts);
  taken = "down";
  EXPECT_EQ(grow("exp", 0, 64 * 32), "");
  taken = "abs";
  EXPECT_EQ(grow("exp", 0, 64 * 8), "up 0, exp 0, down 0");
}

TEST_F(GroupGrowthTest, NothingChanges) {
  parse(kProducts);
  std::string before, after;
  llvm::raw_string_ostream(before) << *module;
  grow("exp", 0, 1);
  llvm::raw_string_ostream(after) << *module;
  EXPECT_EQ(before, after);
}

TEST_F(GroupGrowthTest, MarksAreOfTheLoopsAndOneStream) {
  parse(kProducts);
  auto isLarge = [](Value value) { return cast<RankedTensorType>(value.getType()).getNumElements() >= 64 * 32; };
  std::optional<Growth> growth = growGroup(find("exp"), 0, isLarge, [](Operation *) { return false; });
  markParts(*growth, 8);
  std::string text;
  llvm::raw_string_ostream(text) << find("down").getOwner()->getAttr(kStreamAttr);
  EXPECT_EQ(text, "#flow.stream_axis<0, 1, parts = 8>");
  markGranules(*growth, 16);
  text.clear();
  llvm::raw_string_ostream(text) << find("up").getOwner()->getAttr(kStreamAttr);
  EXPECT_EQ(text, "#flow.stream_axis<0, 1, granule = 16>");
}

// Rows that are sequences of a batch: a part is a whole number of both.
TEST_F(GroupGrowthTest, ReshapesMakeGranulesCoarser) {
  parse(R"(
func.func @f(%x: tensor<24x8xf32>) -> tensor<4xf32> {
  %z = arith.constant 0.0 : f32
  %a = tensor.empty() : tensor<24x8xf32>
  %0 = linalg.exp ins(%x : tensor<24x8xf32>) outs(%a : tensor<24x8xf32>) -> tensor<24x8xf32> loc("exp")
  %1 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [4, 6, 8] : tensor<24x8xf32> into tensor<4x6x8xf32>
  %b = tensor.empty() : tensor<4x6x8xf32>
  %2 = linalg.abs ins(%1 : tensor<4x6x8xf32>) outs(%b : tensor<4x6x8xf32>) -> tensor<4x6x8xf32> loc("abs")
  %c = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%z : f32) outs(%c : tensor<4xf32>) -> tensor<4xf32>
  %3 = linalg.reduce { arith.addf } ins(%2 : tensor<4x6x8xf32>) outs(%f : tensor<4xf32>) dimensions = [1, 2] loc("sum")
  return %3 : tensor<4xf32>
}
)");
  EXPECT_EQ(grow("exp", 0, 24 * 8), "exp 0 by 6, abs 0, sum 0");
  EXPECT_EQ(grow("abs", 0, 24 * 8), "exp 0 by 6, abs 0, sum 0");
  EXPECT_EQ(grow("abs", 1, 24 * 8), "");
}

// The mean is small, but the loop could not hold what computes it and what reads it without what lies between.
TEST_F(GroupGrowthTest, WhatLiesBetweenJoins) {
  parse(R"(
func.func @f(%x: tensor<16x8xf32>) -> tensor<8xf32> {
  %z = arith.constant 0.0 : f32
  %a = tensor.empty() : tensor<16x8xf32>
  %r = tensor.empty() : tensor<16xf32>
  %f = linalg.fill ins(%z : f32) outs(%r : tensor<16xf32>) -> tensor<16xf32>
  %0 = linalg.exp ins(%x : tensor<16x8xf32>) outs(%a : tensor<16x8xf32>) -> tensor<16x8xf32> loc("exp")
  %1 = linalg.reduce { arith.addf } ins(%0 : tensor<16x8xf32>) outs(%f : tensor<16xf32>) dimensions = [1] loc("sum")
  %2 = linalg.abs ins(%1 : tensor<16xf32>) outs(%r : tensor<16xf32>) -> tensor<16xf32> loc("mean")
  %3 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %2 : tensor<16x8xf32>, tensor<16xf32>) outs(%a : tensor<16x8xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %s = arith.subf %p, %q : f32
      linalg.yield %s : f32
    } -> tensor<16x8xf32> loc("sub")
  %c = tensor.empty() : tensor<8xf32>
  %g = linalg.fill ins(%z : f32) outs(%c : tensor<8xf32>) -> tensor<8xf32>
  %4 = linalg.reduce { arith.addf } ins(%3 : tensor<16x8xf32>) outs(%g : tensor<8xf32>) dimensions = [0] loc("columns")
  return %4 : tensor<8xf32>
}
)");
  EXPECT_EQ(grow("exp", 0, 16 * 8), "exp 0, sum 0, mean 0, sub 0");
  EXPECT_EQ(grow("exp", 1, 16 * 8), ""); // sum reduces it
}

// Weights that are cut would lie in rows; an argument does anyway.
TEST_F(GroupGrowthTest, WeightsAreNotCut) {
  for (bool isConstant : {false, true}) {
    parse(std::string("func.func @f(%x: tensor<64x8xf32>, %given: tensor<8x32xf32>) -> tensor<32xf32> {\n") +
          (isConstant ? "%w = arith.constant dense<0.5> : tensor<8x32xf32>"
                      : "%w = tensor.cast %given : tensor<8x32xf32> to tensor<8x32xf32>") +
          R"(
  %z = arith.constant 0.0 : f32
  %a = tensor.empty() : tensor<64x32xf32>
  %b = tensor.empty() : tensor<32xf32>
  %f = linalg.fill ins(%z : f32) outs(%a : tensor<64x32xf32>) -> tensor<64x32xf32>
  %g = linalg.fill ins(%z : f32) outs(%b : tensor<32xf32>) -> tensor<32xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<64x8xf32>, tensor<8x32xf32>) outs(%f : tensor<64x32xf32>) -> tensor<64x32xf32> loc("up")
  %1 = linalg.reduce { arith.addf } ins(%0 : tensor<64x32xf32>) outs(%g : tensor<32xf32>) dimensions = [0] loc("sum")
  return %1 : tensor<32xf32>
}
)");
    EXPECT_EQ(grow("up", 1, 64 * 32), isConstant ? "" : "up 1, sum 1");
  }
}

// Each row of the square needs all rows: one loop cannot cut both operands alike.
TEST_F(GroupGrowthTest, OneLoopCannotCutAnOpTwice) {
  parse(R"(
func.func @f(%x: tensor<16x8xf32>) -> tensor<16x16xf32> {
  %z = arith.constant 0.0 : f32
  %a = tensor.empty() : tensor<16x8xf32>
  %0 = linalg.exp ins(%x : tensor<16x8xf32>) outs(%a : tensor<16x8xf32>) -> tensor<16x8xf32> loc("exp")
  %b = tensor.empty() : tensor<16x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%b : tensor<16x16xf32>) -> tensor<16x16xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>,
                                        affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%0, %0 : tensor<16x8xf32>, tensor<16x8xf32>) outs(%f : tensor<16x16xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %m = arith.mulf %p, %q : f32
      %s = arith.addf %o, %m : f32
      linalg.yield %s : f32
    } -> tensor<16x16xf32> loc("square")
  return %1 : tensor<16x16xf32>
}
)");
  EXPECT_EQ(grow("exp", 0, 16 * 8), "");
}

} // namespace
