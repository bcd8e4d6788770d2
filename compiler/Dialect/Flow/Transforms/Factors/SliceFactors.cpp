// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Transforms/AlignedOps.h"
#include "compiler/Dialect/Flow/Transforms/Factors/ReadFactors.h"

using namespace mlir;
using namespace mlir::heddle;
using flow::Extent;
using flow::Factor;
using flow::Factors;
using flow::Reduction;

// For each dimension of the larger tensor of a slice that is in the smaller one: which one of that.
static SmallVector<std::optional<int64_t>> keptDims(const llvm::SmallBitVector &dropped) {
  SmallVector<std::optional<int64_t>> kept(dropped.size());
  int64_t next = 0;
  for (unsigned dim = 0; dim < dropped.size(); ++dim)
    if (!dropped.test(dim))
      kept[dim] = next++;
  return kept;
}

// Whether the slice has all of a dimension of that tensor.
static bool takesAll(OffsetSizeAndStrideOpInterface slice, Value tensor, int64_t dim) {
  return isConstantIntValue(slice.getMixedOffsets()[dim], 0) && isConstantIntValue(slice.getMixedStrides()[dim], 1) &&
         flow::areEqual({flow::traceExtent(slice.getMixedSizes()[dim])}, {flow::traceExtent(tensor, dim)});
}

// Positions of the result are positions of the source, at a distance: where that is not 0, the source is needed whole.
static void readRange(tensor::ExtractSliceOp op, int64_t dim, int64_t kept, Factors &result) {
  unsigned number = result.factors.size();
  result.factors.emplace_back().extents = {flow::traceExtent(op.getMixedSizes()[dim])};
  result.results[0][kept] = {number};
  if (takesAll(op, op.getSource(), dim)) {
    result.operands[0][dim] = {number};
    return;
  }
  std::optional<int64_t> first = getConstantIntValue(op.getMixedOffsets()[dim]);
  std::optional<int64_t> scale = getConstantIntValue(op.getMixedStrides()[dim]);
  if (first && scale && *scale > 0)
    result.reaches[0][dim] = flow::Reach{number, *scale, *first, 1, {}};
}

// One position of several comes from the part that has it: it is the sum over parts, where the others give what is
// neutral.
static void readPosition(tensor::ExtractSliceOp op, int64_t dim, Factors &result) {
  Type element = op.getType().getElementType();
  Reduction reduction = element.isInteger(1) ? Reduction::Or : Reduction::Sum;
  if (!flow::isCombined(reduction, element))
    return;
  result.operands[0][dim] = {static_cast<unsigned>(result.factors.size())};
  result.factors.push_back({Factor::Kind::Reduced, reduction, {flow::traceExtent(op.getSource(), dim)}, ""});
}

Factors flow::readExtract(tensor::ExtractSliceOp op) {
  Factors result = makeEmptyFactors(op);
  for (auto [dim, kept] : llvm::enumerate(keptDims(op.getDroppedDims()))) {
    if (isConstantIntValue(op.getMixedSizes()[dim], 1) && !takesAll(op, op.getSource(), dim))
      readPosition(op, dim, result);
    else if (kept)
      readRange(op, dim, *kept, result);
  }
  return result;
}

Factors flow::readInsert(tensor::InsertSliceOp op) {
  SmallVector<std::optional<int64_t>> kept = keptDims(op.getDroppedDims());
  Factors result = readPositional(op, [&](int64_t dim) -> std::optional<SmallVector<bool>> {
    if (!kept[dim] || !takesAll(op, op.getDest(), dim))
      return std::nullopt;
    return SmallVector<bool>{false, true};
  });
  for (auto [dim, source] : llvm::enumerate(kept))
    if (source && result.factors[dim].canBeCut())
      result.operands[0][*source] = {static_cast<unsigned>(dim)};
  return result;
}

// Of what an op makes behind so many positions, the operand has the positions.
static void addShifted(Factors &result, int64_t dim, unsigned operand, int64_t before, ArrayRef<Extent> free) {
  Factor &factor = result.factors[dim];
  factor.kind = Factor::Kind::Parallel;
  factor.reason.clear();
  result.reaches[operand][dim] =
      flow::Reach{static_cast<unsigned>(dim), 1, -before, 1, {}, SmallVector<Extent, 1>(free)};
}

// Along the dimensions that it pads a part has the positions of the source that lie in it, and pads around them.
Factors flow::readPad(tensor::PadOp op) {
  Factors result = readPositional(op, [&](int64_t dim) { return findAligned(op, dim); });
  for (int64_t dim = 0; dim < rankOf(op.getResult()) && op.getConstantPaddingValue(); ++dim) {
    if (result.factors[dim].canBeCut())
      continue;
    OpFoldResult low = op.getMixedLowPad()[dim];
    std::optional<int64_t> known = getConstantIntValue(low);
    SmallVector<Extent, 1> free;
    if (!known)
      free.push_back({Attribute(), cast<Value>(low)});
    addShifted(result, dim, 0, known.value_or(0), free);
  }
  return result;
}

// Along the dimension of a join a part has what lies in it of each operand.
Factors flow::readConcat(tensor::ConcatOp op) {
  Factors result = readPositional(op, [&](int64_t dim) { return findAligned(op, dim); });
  int64_t before = 0, along = op.getDim();
  SmallVector<Extent, 1> free; // sizes that count to it
  for (OpOperand &operand : op->getOpOperands()) {
    addShifted(result, along, operand.getOperandNumber(), before, free);
    int64_t size = cast<RankedTensorType>(operand.get().getType()).getDimSize(along);
    if (ShapedType::isDynamic(size))
      free.push_back({Attribute(), operand.get(), along});
    else
      before += size;
  }
  return result;
}
