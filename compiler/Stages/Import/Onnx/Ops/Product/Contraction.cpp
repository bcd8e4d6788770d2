// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MatMul and Gemm.
#include "compiler/Stages/Import/Onnx/Ops/Product/Contraction.h"
#include "compiler/Stages/Import/Onnx/Ops/Quantized/NarrowWeights.h"
#include "compiler/Stages/Import/Onnx/Ops/Quantized/Quantization.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::importer;

Tensor mlir::heddle::importer::matmul(Emitter &emitter, Tensor &lhs, Tensor &rhs) {
  SizeList shape{lhs.sizes[0], rhs.sizes[1]};
  Value init = emitter.filled(lhs.elementType, shape, makeAttribute(lhs.elementType, 0)).value;
  auto op = linalg::MatmulOp::create(emitter.builder, emitter.loc, TypeRange{init.getType()},
                                     ValueRange{emitter.value(lhs), emitter.value(rhs)}, ValueRange{init});
  return emitter.fromValue(op.getResult(0), shape, lhs.elementType);
}

// Batch dimensions are equal on both sides: they become one.
static Tensor batchMatmul(Emitter &emitter, Tensor &lhs, Tensor &rhs, ArrayRef<OpFoldResult> batch) {
  OpFoldResult count = emitter.sizes.product(batch), m = lhs.sizes[lhs.rank() - 2], n = rhs.sizes.back();
  Tensor a = emitter.reshape(lhs, {count, m, lhs.sizes.back()});
  Tensor b = emitter.reshape(rhs, {count, rhs.sizes[rhs.rank() - 2], n});
  SizeList shape{count, m, n};
  Value init = emitter.filled(lhs.elementType, shape, makeAttribute(lhs.elementType, 0)).value;
  auto op = linalg::BatchMatmulOp::create(emitter.builder, emitter.loc, TypeRange{init.getType()},
                                          ValueRange{emitter.value(a), emitter.value(b)}, ValueRange{init});
  Tensor product = emitter.fromValue(op.getResult(0), shape, lhs.elementType);
  SizeList full(batch);
  full.append({m, n});
  return emitter.reshape(product, full);
}

Value mlir::heddle::importer::multiplyAdd(Scalar s, Value accumulator, Value x, Type lhs, Value y, Type rhs, Type sum) {
  return s.add(accumulator, s.mul(convert(s, x, lhs, sum), convert(s, y, rhs, sum)));
}

// Batch dimensions broadcast: an operand is not read along those where its size is 1.
static Tensor broadcastMatmul(Emitter &emitter, Tensor &lhs, Tensor &rhs, ArrayRef<OpFoldResult> batch, Type sum) {
  int64_t batchRank = batch.size(), loops = batchRank + 3;
  MLIRContext *context = emitter.builder.getContext();
  auto dim = [&](int64_t d) { return emitter.builder.getAffineDimExpr(d); };
  auto operand = [&](Tensor &tensor, AffineExpr row, AffineExpr column, AffineMap &map) {
    SmallVector<AffineExpr> exprs;
    SizeList kept;
    int64_t rank = tensor.rank() - 2;
    for (int64_t d = 0; d < rank; ++d) {
      if (tensor.isStaticSize(d, 1))
        continue;
      kept.push_back(tensor.sizes[d]);
      exprs.push_back(dim(batchRank - rank + d));
    }
    kept.append({tensor.sizes[rank], tensor.sizes[rank + 1]});
    exprs.append({row, column});
    map = AffineMap::get(loops, 0, exprs, context);
    Tensor dropped = emitter.reshape(tensor, kept);
    return emitter.value(dropped);
  };
  AffineExpr m = dim(batchRank), n = dim(batchRank + 1), k = dim(batchRank + 2);
  AffineMap left, right, out = AffineMap::getMultiDimIdentityMap(loops, context).dropResult(loops - 1);
  Value a = operand(lhs, m, k, left), b = operand(rhs, k, n, right);
  SizeList shape(batch);
  shape.append({lhs.sizes[lhs.rank() - 2], rhs.sizes.back()});
  SmallVector<utils::IteratorType> iterators(loops, utils::IteratorType::parallel);
  iterators.back() = utils::IteratorType::reduction;
  Value init = emitter.filled(sum, shape, makeAttribute(sum, 0)).value;
  return emitter.generic({a, b}, {left, right, out}, iterators, shape, sum, init,
                         [&](OpBuilder &builder, Location loc, ValueRange v) {
                           return multiplyAdd({builder, loc}, v[2], v[0], lhs.elementType, v[1], rhs.elementType, sum);
                         });
}

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

static LogicalResult refuseInner(NodeContext &node, OpFoldResult columns, OpFoldResult rows) {
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

static LogicalResult lowerMatMul(NodeContext &node) {
  if (failed(requireSameType(node, 2)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor &lhs = *node.input(0), &rhs = *node.input(1);
  if (!canMultiplyQuantized(lhs, rhs) && lhs.rank() > 0 && isNarrowWeight(lhs, rhs)) {
    if (emitter.sizes.different(lhs.sizes.back(), rhs.sizes[0]))
      return refuseInner(node, lhs.sizes.back(), rhs.sizes[0]);
    node.setOutput(0, multiplyNarrow(node, lhs, rhs));
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
  Tensor product = canMultiplyQuantized(a, b) ? *quantized
                   : isNarrowWeight(a, b)     ? multiplyNarrow(node, a, b)
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
