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

encode::PropagationCounts countsOf(int links) {
  MLIRContext context;
  context.loadDialect<arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect, tensor::TensorDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(chainOf(links), &context);
  EXPECT_TRUE(module);
  encode::PropagationCounts counts = encode::propagateTransposes(*module);
  module->walk([](linalg::TransposeOp op) { ADD_FAILURE() << "a transpose is left"; });
  return counts;
}

TEST(PropagateTransposesTest, WorkIsLinearInTheLengthOfAChain) {
  encode::PropagationCounts few = countsOf(50), many = countsOf(200);
  EXPECT_EQ(few.turned, 50);
  EXPECT_EQ(many.turned, 200);
  EXPECT_LE(many.evaluated, 5 * few.evaluated);
}

} // namespace
