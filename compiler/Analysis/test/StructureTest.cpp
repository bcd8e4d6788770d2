// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Analysis/ProductFactors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::heddle;

namespace {

using Kind = Structure::Kind;

struct StructureTest : testing::Test {
  StructureTest() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect, math::MathDialect,
                        tensor::TensorDialect>();
  }

  // The last op of a function of these arguments.
  linalg::LinalgOp parse(const std::string &arguments, const std::string &body) {
    module = parseSourceString<ModuleOp>("func.func @f(" + arguments + ") { " + body + " return }", &context);
    EXPECT_TRUE(module);
    return cast<linalg::LinalgOp>(
        (*module->getOps<func::FuncOp>().begin()).getBody().front().getTerminator()->getPrevNode());
  }

  // A generic op of two inputs of f32 with these maps, iterators and body, of %a, %b and the accumulator %c.
  linalg::LinalgOp generic(const std::string &maps, const std::string &iterators, const std::string &body,
                           const std::string &types = "tensor<8x8xf32>, tensor<8x8xf32>",
                           const std::string &result = "tensor<8x8xf32>") {
    return parse(
        "%x: " + types.substr(0, types.find(", ")) + ", %y: " + types.substr(types.find(", ") + 2) + ", %z: " + result,
        "%r = linalg.generic {indexing_maps = [" + maps + "], iterator_types = [" + iterators + "]} ins(%x, %y : " +
            types + ") outs(%z : " + result + ") {\n^bb0(%a: f32, %b: f32, %c: f32):\n" + body + "} -> " + result);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

const char *const kProduct = "%p = arith.mulf %a, %b : f32\n %s = arith.addf %c, %p : f32\n linalg.yield %s : f32\n";
const char *const kMatmul = "affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, "
                            "affine_map<(m, n, k) -> (m, n)>";
const char *const kLoops = R"("parallel", "parallel", "reduction")";

TEST_F(StructureTest, ProductsOfMatrices) {
  linalg::LinalgOp op = generic(kMatmul, kLoops, kProduct);
  const Structure found = Structure::of(op);
  EXPECT_EQ(found.kind, Kind::Contraction);
  EXPECT_EQ(found.arithmetic, Arithmetic::Float);
  EXPECT_TRUE(found.isPlain() && found.sumsNumbers() && !found.isComputed());
  EXPECT_TRUE(isContraction(op) && reusesElements(op));
  std::optional<ProductSides> sides = findSides(op);
  ASSERT_TRUE(sides);
  EXPECT_EQ(sides->rows->getOperandNumber(), 0u);
  EXPECT_EQ(sides->columns->getOperandNumber(), 1u);
  // Named ops are the same.
  op = parse("%x: tensor<8x4xf32>, %y: tensor<4x?xf32>, %z: tensor<8x?xf32>",
             "%r = linalg.matmul ins(%x, %y : tensor<8x4xf32>, tensor<4x?xf32>) outs(%z : tensor<8x?xf32>) -> "
             "tensor<8x?xf32>");
  EXPECT_TRUE(isContraction(op));
}

TEST_F(StructureTest, BodiesThatAreNoSumOfProducts) {
  const std::string twice = "%p = arith.mulf %a, %b : f32\n %q = arith.addf %p, %a : f32\n "
                            "%s = arith.addf %c, %q : f32\n linalg.yield %s : f32\n";
  const std::string most = "%p = arith.mulf %a, %b : f32\n %s = arith.maximumf %c, %p : f32\n linalg.yield %s : f32\n";
  const std::string square = "%p = arith.mulf %a, %a : f32\n %s = arith.addf %c, %p : f32\n linalg.yield %s : f32\n";
  for (const std::string &body : {twice, most, square}) {
    linalg::LinalgOp op = generic(kMatmul, kLoops, body);
    const Structure found = Structure::of(op);
    EXPECT_EQ(found.kind, Kind::Reduction) << body;
    EXPECT_FALSE(found.arithmetic || found.product || found.sum) << body;
    EXPECT_FALSE(found.isPlain()) << body;
    EXPECT_TRUE(reusesElements(op)) << body; // whatever the body
  }
}

TEST_F(StructureTest, WidenedElementsAreNotPlain) {
  linalg::LinalgOp op = parse(
      "%x: tensor<8x8xi8>, %y: tensor<8x8xi8>, %z: tensor<8x8xi32>",
      "%r = linalg.matmul ins(%x, %y : tensor<8x8xi8>, tensor<8x8xi8>) outs(%z : tensor<8x8xi32>) -> tensor<8x8xi32>");
  const Structure found = Structure::of(op);
  EXPECT_EQ(found.kind, Kind::Contraction);
  EXPECT_EQ(found.arithmetic, Arithmetic::Integer);
  EXPECT_FALSE(found.isPlain());
}

TEST_F(StructureTest, FactorsAreInputsAsTheyAreOrConverted) {
  auto factors = factorsOf(Structure::of(generic(kMatmul, kLoops, kProduct)));
  ASSERT_TRUE(factors);
  EXPECT_EQ((*factors)[0].operand->getOperandNumber(), 0u);
  EXPECT_EQ((*factors)[1].operand->getOperandNumber(), 1u);
  EXPECT_FALSE((*factors)[0].conversion || (*factors)[1].conversion);
  // The product's order, and what widens.
  factors = factorsOf(Structure::of(generic(kMatmul, kLoops,
                                            "%w = arith.negf %a : f32\n "
                                            "%p = arith.mulf %b, %w : f32\n %s = arith.addf %p, %c : f32\n "
                                            "linalg.yield %s : f32\n")));
  ASSERT_TRUE(factors);
  EXPECT_EQ((*factors)[0].operand->getOperandNumber(), 1u);
  EXPECT_TRUE(isa_and_nonnull<arith::NegFOp>((*factors)[1].conversion));
  // Not where more is done with the product, or with an element.
  for (const std::string body :
       {"%p = arith.mulf %a, %b : f32\n %n = arith.negf %p : f32\n %s = arith.addf %c, %n : f32\n "
        "linalg.yield %s : f32\n",
        "%m = arith.negf %a : f32\n %n = arith.negf %m : f32\n %p = arith.mulf %n, %b : f32\n "
        "%s = arith.addf %c, %p : f32\n linalg.yield %s : f32\n"}) {
    const Structure found = Structure::of(generic(kMatmul, kLoops, body));
    EXPECT_TRUE(found.arithmetic) << body;
    EXPECT_FALSE(factorsOf(found)) << body;
  }
}

TEST_F(StructureTest, Windows) {
  const std::string maps = "affine_map<(o, f, k) -> (o * 2 + k, f)>, affine_map<(o, f, k) -> (k, f)>, "
                           "affine_map<(o, f, k) -> (o, f)>";
  linalg::LinalgOp op = generic(maps, kLoops, kProduct, "tensor<9x8xf32>, tensor<3x8xf32>", "tensor<4x8xf32>");
  Structure found = Structure::of(op);
  EXPECT_EQ(found.kind, Kind::Convolution);
  EXPECT_TRUE(found.isProduct() && !found.isContraction() && found.isComputed());
  EXPECT_EQ(found.accesses, (SmallVector<Access>{Access::Computed, Access::Loops, Access::Loops}));
  op = generic(maps, kLoops, "%s = arith.maximumf %a, %c : f32\n linalg.yield %s : f32\n",
               "tensor<9x8xf32>, tensor<3x8xf32>", "tensor<4x8xf32>");
  found = Structure::of(op);
  EXPECT_EQ(found.kind, Kind::Window);
  EXPECT_FALSE(found.isProduct());
  EXPECT_FALSE(findSides(op)); // both walk the channels
}

TEST_F(StructureTest, DimensionsOfSizeOneAreStretched) {
  linalg::LinalgOp op = generic("affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (0, n)>, "
                                "affine_map<(m, n, k) -> (m, n)>",
                                kLoops, kProduct, "tensor<8x8xf32>, tensor<1x8xf32>");
  const Structure found = Structure::of(op);
  EXPECT_EQ(found.accesses[1], Access::Stretched);
  EXPECT_FALSE(found.isContraction());
}

TEST_F(StructureTest, ElementwiseAndBatches) {
  linalg::LinalgOp op = generic("affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, "
                                "affine_map<(m, n) -> (m, n)>",
                                R"("parallel", "parallel")", kProduct);
  EXPECT_EQ(Structure::of(op).kind, Kind::Elementwise);
  EXPECT_FALSE(reusesElements(op));
  op = parse("%x: tensor<2x8x4xf32>, %y: tensor<2x4x8xf32>, %z: tensor<2x8x8xf32>",
             "%r = linalg.batch_matmul ins(%x, %y : tensor<2x8x4xf32>, tensor<2x4x8xf32>) outs(%z : tensor<2x8x8xf32>) "
             "-> tensor<2x8x8xf32>");
  EXPECT_TRUE(isBatchLoop(op, getAffineDimExpr(0, &context)));
  EXPECT_FALSE(isBatchLoop(op, getAffineDimExpr(1, &context)));
}

} // namespace
