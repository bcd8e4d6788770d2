// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Onnx/Forms/Products.h"

#include "compiler/Stages/Import/Emit/Contraction.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::importer;

// Operands of rank at least 2 whose inner sizes agree.
static LogicalResult multiply(NodeContext &node, Tensor &lhs, Tensor &rhs, Type sum, Tensor &product) {
  Emitter &emitter = node.emitter;
  Sizes &sizes = emitter.sizes;
  OpFoldResult m = lhs.sizes[lhs.rank() - 2], k = lhs.sizes.back(), n = rhs.sizes.back();
  SizeList leftBatch(ArrayRef<OpFoldResult>(lhs.sizes).drop_back(2));
  SizeList rightBatch(ArrayRef<OpFoldResult>(rhs.sizes).drop_back(2));
  std::optional<SizeList> batch = emitter.broadcastSizes({leftBatch, rightBatch});
  if (!batch)
    return node.refuse("the batch dimensions do not broadcast");
  auto isBatch = [&](ArrayRef<OpFoldResult> dims, bool orOne) {
    return llvm::all_of(llvm::zip(llvm::reverse(dims), llvm::reverse(*batch)), [&](auto it) {
      auto [size, whole] = it;
      return sizes.equal(size, whole) || (orOne && getConstantIntValue(size) == 1);
    });
  };
  if (rhs.rank() == 2) {
    OpFoldResult count = sizes.product(ArrayRef<OpFoldResult>(lhs.sizes).drop_back());
    Tensor flat = emitter.reshape(lhs, {count, k});
    SizeList full(*batch);
    full.append({m, n});
    product = sum == lhs.elementType ? matmul(emitter, flat, rhs) : broadcastMatmul(emitter, flat, rhs, {}, sum);
    product = emitter.reshape(product, full);
    return success();
  }
  if (sum == lhs.elementType && leftBatch.size() == rightBatch.size() && isBatch(leftBatch, false) &&
      isBatch(rightBatch, false)) {
    product = batchMatmul(emitter, lhs, rhs, *batch);
    return success();
  }
  // What only the call knows to be broadcast is repeated.
  auto widen = [&](Tensor &tensor, ArrayRef<OpFoldResult> dims) {
    if (isBatch(dims, true))
      return;
    SizeList wide(*batch);
    llvm::append_range(wide, ArrayRef<OpFoldResult>(tensor.sizes).take_back(2));
    tensor = emitter.broadcast(tensor, wide);
  };
  widen(lhs, leftBatch);
  widen(rhs, rightBatch);
  product = broadcastMatmul(emitter, lhs, rhs, *batch, sum);
  return success();
}

LogicalResult mlir::heddle::importer::refuseInner(NodeContext &node, OpFoldResult columns, OpFoldResult rows) {
  auto spell = [](OpFoldResult size) {
    std::optional<int64_t> fixed = getConstantIntValue(size);
    return fixed ? std::to_string(*fixed) : "?";
  };
  return node.refuse("the inner sizes must be equal, got " + spell(columns) + " and " + spell(rows));
}

FailureOr<Tensor> mlir::heddle::importer::multiplyAnyRank(NodeContext &node, Tensor lhs, Tensor rhs, Type sum,
                                                          FinishProduct finish) {
  Emitter &emitter = node.emitter;
  if (lhs.rank() == 0 || rhs.rank() == 0)
    return node.refuse("the operands must not be scalars");
  bool isRow = lhs.rank() == 1, isColumn = rhs.rank() == 1;
  OpFoldResult one = emitter.sizes.constant(1);
  if (isRow)
    lhs = emitter.reshape(lhs, {one, lhs.sizes[0]});
  if (isColumn)
    rhs = emitter.reshape(rhs, {rhs.sizes[0], one});
  OpFoldResult k = lhs.sizes.back(), rows = rhs.sizes[rhs.rank() - 2];
  if (emitter.sizes.different(k, rows))
    return refuseInner(node, k, rows);
  emitter.checkEqual(k, rows, node.op() + ": the inner sizes of the operands must be equal");
  Tensor product;
  if (failed(multiply(node, lhs, rhs, sum ? sum : lhs.elementType, product)))
    return failure();
  if (finish) {
    FailureOr<Tensor> finished = finish(lhs, rhs, product);
    if (failed(finished))
      return failure();
    product = *finished;
  }
  SizeList shape = product.sizes;
  if (isColumn)
    shape.pop_back();
  if (isRow)
    shape.erase(shape.end() - (isColumn ? 1 : 2));
  return emitter.reshape(product, shape);
}
