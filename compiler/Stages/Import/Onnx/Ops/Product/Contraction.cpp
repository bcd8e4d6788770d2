// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MatMul and Gemm.
#include "compiler/Stages/Import/Emit/Contraction.h"
#include "compiler/Stages/Import/Onnx/Forms/Products.h"
#include "compiler/Stages/Import/Onnx/Ops/Quantized/NarrowWeights.h"
#include "compiler/Stages/Import/Onnx/Ops/Quantized/Quantization.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::importer;

static LogicalResult lowerMatMul(NodeContext &node) {
  if (failed(requireSameType(node, 2)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor &lhs = *node.input(0), &rhs = *node.input(1);
  if (!canMultiplyQuantized(lhs, rhs) && lhs.rank() > 0 && isNarrowWeight(emitter.forms, lhs, rhs)) {
    if (emitter.sizes.different(lhs.sizes.back(), rhs.sizes[0]))
      return refuseInner(node, lhs.sizes.back(), rhs.sizes[0]);
    node.setOutput(0, multiplyNarrow(emitter, lhs, rhs, node.op()));
    return success();
  }
  FailureOr<Tensor> product =
      canMultiplyQuantized(lhs, rhs) ? multiplyQuantized(node, lhs, rhs) : multiplyAnyRank(node, lhs, rhs);
  if (failed(product))
    return failure();
  node.setOutput(0, *product);
  return success();
}

// alpha * A * B + beta * C.
static LogicalResult lowerGemm(NodeContext &node) {
  if (failed(requireSameType(node, 2)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor a = *node.input(0), b = *node.input(1), *c = node.input(2);
  if (a.rank() != 2 || b.rank() != 2)
    return node.refuse("needs two matrices");
  if (node.getInt("transA", 0))
    a = emitter.transpose(a, {1, 0});
  if (node.getInt("transB", 0))
    b = emitter.transpose(b, {1, 0});
  if (emitter.sizes.different(a.sizes[1], b.sizes[0]))
    return refuseInner(node, a.sizes[1], b.sizes[0]);
  emitter.checkEqual(a.sizes[1], b.sizes[0], "Gemm: the inner sizes of the operands must be equal");
  double alpha = node.getFloat("alpha", 1), beta = node.getFloat("beta", 1);
  if (a.isInteger() && (alpha != 1 || beta != 1))
    return node.unsupported("integers need alpha = beta = 1");
  FailureOr<Tensor> quantized = canMultiplyQuantized(a, b) ? multiplyQuantized(node, a, b) : Tensor();
  if (failed(quantized))
    return failure();
  Tensor product = canMultiplyQuantized(a, b)            ? *quantized
                   : isNarrowWeight(emitter.forms, a, b) ? multiplyNarrow(emitter, a, b, node.op())
                                                         : matmul(emitter, a, b);
  bool hasBias = c && beta != 0;
  if (alpha == 1 && !hasBias) {
    node.setOutput(0, product);
    return success();
  }
  SmallVector<Tensor *> operands{&product};
  if (hasBias) {
    if (c->elementType != a.elementType || c->rank() > 2)
      return node.refuse("C must be a matrix of the same type, or broadcast to one");
    std::optional<SizeList> both = emitter.broadcastSizes({c->sizes, product.sizes});
    for (size_t d = 0; d < 2; ++d) {
      if (!both || emitter.sizes.different((*both)[d], product.sizes[d]))
        return node.refuse("C does not broadcast to the product");
      emitter.checkEqual((*both)[d], product.sizes[d], "Gemm: C must have the product's sizes, or 1");
    }
    operands.push_back(c);
  }
  node.setOutput(0, emitter.elementwise(
                        operands, product.sizes, a.elementType, [&](OpBuilder &builder, Location loc, ValueRange v) {
                          Scalar s{builder, loc};
                          Value result = alpha == 1 ? v[0] : s.mul(v[0], s.constant(v[0].getType(), alpha));
                          if (!hasBias)
                            return result;
                          return s.add(result, beta == 1 ? v[1] : s.mul(v[1], s.constant(v[1].getType(), beta)));
                        }));
  return success();
}

void mlir::heddle::importer::registerContraction(LoweringTable &table) {
  table.add("MatMul", 1, lowerMatMul);
  table.add("Gemm", 7, lowerGemm);
}
