// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Emit/Contraction.h"

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

// The batch dimensions become one.
Tensor mlir::heddle::importer::batchMatmul(Emitter &emitter, Tensor &lhs, Tensor &rhs, ArrayRef<OpFoldResult> batch) {
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

Tensor mlir::heddle::importer::broadcastMatmul(Emitter &emitter, Tensor &lhs, Tensor &rhs, ArrayRef<OpFoldResult> batch,
                                               Type sum) {
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
