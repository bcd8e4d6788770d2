// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Encode/PropagateTransposes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::heddle;

namespace {

// `links` times: a transpose, an elementwise op, the transpose back, and a product, which ends what changes its layout
// together.
std::string chainOf(int links) {
  std::string text = R"(
    #id = affine_map<(i, j) -> (i, j)>
    func.func @main(%v0: tensor<8x16xf32>) -> tensor<8x16xf32> {
      %e = tensor.empty() : tensor<16x8xf32>
      %o = tensor.empty() : tensor<8x16xf32>
      %w = arith.constant dense<1.0> : tensor<16x16xf32>
  )";
  const std::string link = R"(
      %tN = linalg.transpose ins(%vN : tensor<8x16xf32>) outs(%e : tensor<16x8xf32>) permutation = [1, 0]
      %mN = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
          ins(%tN : tensor<16x8xf32>) outs(%e : tensor<16x8xf32>) {
      ^bb0(%a: f32, %b: f32):
        %c = arith.addf %a, %a : f32
        linalg.yield %c : f32
      } -> tensor<16x8xf32>
      %uN = linalg.transpose ins(%mN : tensor<16x8xf32>) outs(%o : tensor<8x16xf32>) permutation = [1, 0]
      %vM = linalg.matmul ins(%uN, %w : tensor<8x16xf32>, tensor<16x16xf32>) outs(%o : tensor<8x16xf32>)
          -> tensor<8x16xf32>
  )";
  for (int i = 0; i < links; ++i)
    for (char c : link)
      text += c == 'N' ? std::to_string(i) : c == 'M' ? std::to_string(i + 1) : std::string(1, c);
  return text + "return %v" + std::to_string(links) + " : tensor<8x16xf32>\n}\n";
}

encode::PropagationCounts countsOf(const std::string &text, int left) {
  MLIRContext context;
  context.loadDialect<arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect, tensor::TensorDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  EXPECT_TRUE(module);
  encode::PropagationCounts counts = encode::propagateTransposes(*module);
  module->walk([&](linalg::TransposeOp op) { --left; });
  EXPECT_EQ(left, 0) << "transposes that should be left, less those that are";
  return counts;
}

TEST(PropagateTransposesTest, WorkIsLinearInTheLengthOfAChain) {
  encode::PropagationCounts few = countsOf(chainOf(50), 0), many = countsOf(chainOf(200), 0);
  EXPECT_EQ(few.turned, 50);
  EXPECT_EQ(many.turned, 200);
  EXPECT_LE(many.evaluated, 5 * few.evaluated);
}

// What a body reads of the program is an operand like the others.
TEST(PropagateTransposesTest, ValuesThatABodyReadsAreNoConstants) {
  countsOf(R"(
    func.func @f(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
      %o = tensor.empty() : tensor<16x8xf32>
      %p = tensor.empty() : tensor<8x16xf32>
      %g = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
          outs(%o : tensor<16x8xf32>) {
      ^bb0(%b: f32):
        %i = linalg.index 0 : index
        %j = linalg.index 1 : index
        %v = tensor.extract %x[%i, %j] : tensor<16x8xf32>
        linalg.yield %v : f32
      } -> tensor<16x8xf32>
      %t = linalg.transpose ins(%g : tensor<16x8xf32>) outs(%p : tensor<8x16xf32>) permutation = [1, 0]
      %n = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]} ins(%t : tensor<8x16xf32>) outs(%p : tensor<8x16xf32>) {
      ^bb0(%a: f32, %b: f32):
        %c = arith.addf %a, %a : f32
        linalg.yield %c : f32
      } -> tensor<8x16xf32>
      %u = linalg.transpose ins(%n : tensor<8x16xf32>) outs(%o : tensor<16x8xf32>) permutation = [1, 0]
      return %u : tensor<16x8xf32>
    })",
           0);
}

// A value and its transpose in one sum: whichever of the two is turned, the other needs a transpose, and none is saved.
TEST(PropagateTransposesTest, SumsWithTheirTransposes) {
  std::string text = "func.func @f(%v0: tensor<8x8xf32>) -> tensor<8x8xf32> {\n%o = tensor.empty() : tensor<8x8xf32>\n";
  for (int i = 0; i < 3; ++i) {
    std::string n = std::to_string(i), next = std::to_string(i + 1);
    text += "%t" + n + " = linalg.transpose ins(%v" + n +
            " : tensor<8x8xf32>) outs(%o : tensor<8x8xf32>) permutation = [1, 0]\n%v" + next + " = linalg.add ins(%v" +
            n + ", %t" + n + " : tensor<8x8xf32>, tensor<8x8xf32>) outs(%o : tensor<8x8xf32>) -> tensor<8x8xf32>\n";
  }
  EXPECT_EQ(countsOf(text + "return %v3 : tensor<8x8xf32>\n}", 3).turned, 0);
}

// The reader in a body needs the order of places that it has: turning the reshape would move the transpose behind it.
TEST(PropagateTransposesTest, ReadersInABodyKeepATranspose) {
  auto counts = countsOf(R"(
    func.func @f(%x: tensor<12x32xf32>, %i: index) -> tensor<32x9xf32> {
      %o = tensor.empty() : tensor<32x12xf32>
      %r = tensor.empty() : tensor<32x9xf32>
      %c0 = arith.constant 0 : index
      %t = linalg.transpose ins(%x : tensor<12x32xf32>) outs(%o : tensor<32x12xf32>) permutation = [1, 0]
      %e = tensor.expand_shape %t [[0, 1], [2, 3]] output_shape [1, 32, 12, 1] : tensor<32x12xf32> into tensor<1x32x12x1xf32>
      %g = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
          outs(%r : tensor<32x9xf32>) {
      ^bb0(%b: f32):
        %c = linalg.index 0 : index
        %v = tensor.extract %e[%c0, %c, %i, %c0] : tensor<1x32x12x1xf32>
        linalg.yield %v : f32
      } -> tensor<32x9xf32>
      return %g : tensor<32x9xf32>
    })",
                         1);
  EXPECT_EQ(counts.turned, 0);
}

// Each of 64 constants reads the one before it twice: there are 2^64 ways from the last to the first.
TEST(PropagateTransposesTest, ConstantsReadTwiceAreLookedAtOnce) {
  std::string text = R"(
    func.func @f() -> tensor<8x16xf32> {
      %v0 = arith.constant dense<1.0> : tensor<16x8xf32>
      %p = tensor.empty() : tensor<8x16xf32>
  )";
  for (int i = 0; i < 64; ++i)
    text += "%v" + std::to_string(i + 1) + " = linalg.add ins(%v" + std::to_string(i) + ", %v" + std::to_string(i) +
            " : tensor<16x8xf32>, tensor<16x8xf32>) outs(%v0 : tensor<16x8xf32>) -> tensor<16x8xf32>\n";
  text += R"(
      %t = linalg.transpose ins(%v64 : tensor<16x8xf32>) outs(%p : tensor<8x16xf32>) permutation = [1, 0]
      return %t : tensor<8x16xf32>
    })";
  countsOf(text, 1);
}

} // namespace
