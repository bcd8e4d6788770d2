// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sort and top_k: rows of positions, sorted by scalar code.
#include "compiler/Stages/Import/Emit/Numerics/Functions.h"
#include "compiler/Stages/Import/Emit/Rows/Sorting.h"
#include "compiler/Stages/Import/StableHlo/Converter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;
using namespace mlir::heddle::numerics;
using importer::RowCode;

// Whether elements `a`, one of each operand, come before elements `b`.
using Before = llvm::function_ref<Value(OpBuilder &, Location, ArrayRef<Value> a, ArrayRef<Value> b)>;

// Which `kept` elements stand first in each row of the operands [rows, size], when sorted: [rows, kept] of i64. Where
// neither of two comes before the other, their places decide: every sort is stable.
static Tensor sortPositions(Emitter &emitter, MutableArrayRef<Tensor> operands, int64_t kept, Before before) {
  SmallVector<Value> sources = llvm::map_to_vector(operands, [&](Tensor &tensor) { return emitter.value(tensor); });
  OpFoldResult rows = operands.front().sizes[0];
  Tensor result = importer::describeResult(emitter.builder.getI64Type(), {rows, emitter.sizes.constant(kept)});
  auto body = [&](OpBuilder &b, Location loc, Value row, ValueRange results) -> SmallVector<Value> {
    RowCode c{b, loc};
    importer::RowOrder order{c, row, {}, {}};
    auto elements = [&](Value place) {
      Value at = c.toIndex(place);
      return llvm::map_to_vector(sources, [&](Value source) { return c.read(source, {row, at}); });
    };
    order.entry = [&](Value i) -> SmallVector<Value> { return {c.toI64(i)}; };
    order.before = [&](ValueRange x, ValueRange y) {
      SmallVector<Value> left = elements(x[0]), right = elements(y[0]);
      Value first = before(b, loc, left, right), second = before(b, loc, right, left);
      return c.either(first, c.both(c.isNot(second), c.less(x[0], y[0])));
    };
    return order.sort(c.index(*operands.front().staticSize(1)), c.index(kept), results);
  };
  return importer::emitRows(emitter, rows, {result}, body).front();
}

// The first `count` of each row of `tensor` in that order.
static Tensor pick(Emitter &emitter, Tensor &tensor, Tensor &order, int64_t count) {
  Value values = emitter.value(tensor), places = emitter.value(order);
  SizeList sizes{tensor.sizes[0], emitter.sizes.constant(count)};
  return emitter.generate(sizes, tensor.elementType, {}, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    Value which = tensor::ExtractOp::create(b, loc, places, v);
    return tensor::ExtractOp::create(b, loc, values,
                                     ValueRange{v[0], arith::IndexCastOp::create(b, loc, b.getIndexType(), which)});
  });
}

static LogicalResult lowerSort(OpContext &op) {
  unsigned count = op.op->getNumOperands();
  if (count == 0 || failed(op.requireResults(count)))
    return op.refuse("needs as many results as operands, at least one");
  ArrayRef<int64_t> shape = op.operandType(0).getShape();
  int64_t rank = shape.size();
  for (unsigned i = 0; i < count; ++i)
    if (op.operandType(i).getShape() != shape)
      return op.refuse("the operands must have one shape");
  FailureOr<int64_t> given = op.integer("dimension", rank - 1);
  if (failed(given))
    return failure();
  int64_t axis = *given < 0 ? *given + rank : *given;
  if (failed(op.requireDims({axis}, rank, "dimension")))
    return failure();
  SmallVector<Type> types;
  for (unsigned i = 0; i < count; ++i)
    types.append(2, op.operandType(i).getElementType());
  FailureOr<ElementRegion> body = ElementRegion::read(op, types, {op.emitter.builder.getI1Type()});
  if (failed(body))
    return failure();
  Emitter &emitter = op.emitter;
  int64_t size = shape[axis], elements = op.operandType(0).getNumElements();
  SmallVector<int64_t> order, moved;
  for (int64_t d = 0; d < rank; ++d)
    if (d != axis)
      order.push_back(d);
  order.push_back(axis);
  moved = applyPermutation(shape, order);
  SmallVector<Tensor> operands;
  for (unsigned i = 0; i < count; ++i) {
    if (elements == 0 || size == 1) {
      if (failed(op.setResult(i, op.operand(i))))
        return failure();
      continue;
    }
    Tensor turned = emitter.transpose(op.operand(i), order);
    operands.push_back(emitter.reshape(turned, op.sizesOf({elements / size, size})));
  }
  if (operands.empty())
    return success();
  auto before = [&](OpBuilder &b, Location loc, ArrayRef<Value> x, ArrayRef<Value> y) {
    SmallVector<Value> arguments;
    for (auto [left, right] : llvm::zip_equal(x, y))
      arguments.append({left, right});
    return body->emit(b, loc, arguments).front();
  };
  Tensor sorted = sortPositions(emitter, operands, size, before);
  for (auto [i, operand] : llvm::enumerate(operands)) {
    Tensor result = pick(emitter, operand, sorted, size);
    result = emitter.reshape(result, op.sizesOf(moved));
    if (failed(op.setResult(i, emitter.transpose(result, invertPermutationVector(order)))))
      return failure();
  }
  return success();
}

// Values and places of the `k` greatest along the last dimension, the greatest first, of equal ones the first.
static LogicalResult lowerTopK(OpContext &op) {
  if (failed(op.requireOperands(1)) || failed(op.requireResults(2)))
    return failure();
  FailureOr<int64_t> k = op.integer("k");
  if (failed(k))
    return failure();
  RankedTensorType type = op.operandType(0);
  int64_t rank = type.getRank();
  if (rank == 0 || *k < 1 || *k > type.getShape().back() || type.getNumElements() == 0)
    return op.refuse("needs at least k elements along the last dimension, and k at least 1, got k = " + Twine(*k));
  if (isFloat8(type.getElementType()))
    return op.refuse("floats of 8 bits are not supported here; convert them to f32");
  Emitter &emitter = op.emitter;
  int64_t size = type.getShape().back(), rows = type.getNumElements() / size;
  Type element = type.getElementType();
  SmallVector<Tensor> operands{emitter.reshape(op.operand(0), op.sizesOf({rows, size}))};
  auto before = [&](OpBuilder &b, Location loc, ArrayRef<Value> x, ArrayRef<Value> y) {
    Scalar s{b, loc, element};
    return s.less(orderKey(s, y[0]), orderKey(s, x[0]));
  };
  Tensor order = sortPositions(emitter, operands, *k, before);
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = *k;
  Tensor values = pick(emitter, operands.front(), order, *k);
  Type i64 = emitter.builder.getI64Type(), wanted = op.resultType(1).getElementType();
  Tensor places = emitter.elementwise({&order}, order.sizes, wanted, [&](OpBuilder &b, Location loc, ValueRange v) {
    return importer::convert({b, loc}, v[0], i64, wanted);
  });
  return failure(failed(op.setResult(0, emitter.reshape(values, op.sizesOf(shape)))) ||
                 failed(op.setResult(1, emitter.reshape(places, op.sizesOf(shape)))));
}

void mlir::heddle::hlo::registerSort(LoweringTable &table) {
  table["chlo.top_k"] = lowerTopK;
  table["stablehlo.sort"] = lowerSort;
}
