// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sort and top_k: positions in their order, and what stands there.
#include "compiler/Stages/Import/Emit/Numerics/Functions.h"
#include "compiler/Stages/Import/Emit/Rows/ListOps.h"
#include "compiler/Stages/Import/StableHlo/Assembly/Attributes.h"
#include "compiler/Stages/Import/StableHlo/Converter.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;
using namespace mlir::heddle::numerics;
using importer::sortAlong;
using importer::takePositions;

// Whether the region orders integers by value: the least first, or the greatest. Nothing: it does something else.
struct ValueOrder {
  bool descending;
};
static std::optional<ValueOrder> orderOf(OpContext &op) {
  Block &body = op.op->getRegion(0).front();
  if (op.op->getNumOperands() != 1 || !isa<IntegerType>(op.operandType(0).getElementType()) ||
      std::distance(body.begin(), body.end()) != 2 || body.front().getName().getStringRef() != "stablehlo.compare" ||
      body.getTerminator()->getOperand(0) != body.front().getResult(0))
    return std::nullopt;
  Value first = body.front().getOperand(0), second = body.front().getOperand(1);
  StringRef direction = *readWord(body.front().getAttr("comparison_direction"));
  bool isSwapped = first == body.getArgument(1) && second == body.getArgument(0);
  if ((!isSwapped && (first != body.getArgument(0) || second != body.getArgument(1))) ||
      (direction != "LT" && direction != "GT"))
    return std::nullopt;
  return ValueOrder{(direction == "GT") != isSwapped};
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
  if (op.operandType(0).getNumElements() == 0 || shape[axis] == 1) {
    for (unsigned i = 0; i < count; ++i)
      if (failed(op.setResult(i, op.operand(i))))
        return failure();
    return success();
  }
  Emitter &emitter = op.emitter;
  SmallVector<Tensor> operands;
  for (unsigned i = 0; i < count; ++i)
    operands.push_back(op.operand(i));
  OpFoldResult all = operands.front().sizes[axis];
  std::optional<ValueOrder> byValue = orderOf(op);
  Tensor places = byValue ? sortAlong(emitter, operands.front(), axis, all, byValue->descending)
                          : sortAlong(emitter, operands, axis, all, [&](OpBuilder &b, Location loc, ValueRange pairs) {
                              return body->emit(b, loc, pairs).front();
                            });
  for (auto [i, operand] : llvm::enumerate(operands))
    if (failed(op.setResult(i, takePositions(emitter, operand, places, axis))))
      return failure();
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
  Type element = type.getElementType();
  SmallVector<Tensor> operands{op.operand(0)};
  OpFoldResult kept = emitter.sizes.constant(*k);
  // Floats in the total order of their bits.
  auto before = [&](OpBuilder &b, Location loc, ValueRange pair) {
    Scalar s{b, loc, element};
    return s.less(orderKey(s, pair[1]), orderKey(s, pair[0]));
  };
  Tensor order = isa<FloatType>(element) ? sortAlong(emitter, operands, rank - 1, kept, before)
                                         : sortAlong(emitter, operands.front(), rank - 1, kept, /*descending=*/true);
  Type i64 = emitter.builder.getI64Type(), wanted = op.resultType(1).getElementType();
  Tensor places = emitter.elementwise({&order}, order.sizes, wanted, [&](OpBuilder &b, Location loc, ValueRange v) {
    return importer::convert({b, loc}, v[0], i64, wanted);
  });
  return failure(failed(op.setResult(0, takePositions(emitter, operands.front(), order, rank - 1))) ||
                 failed(op.setResult(1, places)));
}

void mlir::heddle::hlo::registerSort(LoweringTable &table) {
  table["chlo.top_k"] = lowerTopK;
  table["stablehlo.sort"] = lowerSort;
}
