// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Transforms/Factors/ShiftedParts.h"

#include "compiler/Dialect/Flow/Transforms/Parts.h"
#include "compiler/Dialect/Flow/Transforms/Shards.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::heddle;
using flow::RankPart;

namespace {

class Shifted {
public:
  Shifted(OpBuilder &builder, Location loc) : b(builder), loc(loc) {}

  // Of `size` positions behind `before` others those that lie in the part: [begin, end) of them.
  std::pair<OpFoldResult, OpFoldResult> within(const RankPart &part, OpFoldResult before, OpFoldResult size) {
    OpFoldResult end = flow::buildSum(b, loc, part.begin, part.size);
    return {clamp(minus(part.begin, before), size), clamp(minus(end, before), size)};
  }

  // How many positions of the part lie in front of `before`.
  OpFoldResult inFront(const RankPart &part, OpFoldResult before) {
    return clamp(minus(before, part.begin), part.size);
  }

  OpFoldResult minus(OpFoldResult x, OpFoldResult y) {
    std::optional<int64_t> known = getConstantIntValue(x), other = getConstantIntValue(y);
    if (known && other)
      return b.getIndexAttr(*known - *other);
    return getAsOpFoldResult(b.createOrFold<arith::SubIOp>(loc, index(x), index(y)));
  }

  // The range of a local value that is whole along a dimension.
  Value take(Value local, int64_t dim, OpFoldResult begin, OpFoldResult end) {
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, local);
    SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
    offsets[dim] = begin;
    sizes[dim] = minus(end, begin);
    return flow::takeSlice(b, loc, local, offsets, sizes);
  }

  Value castTo(Value value, Type type) {
    return value.getType() == type ? value : Value(tensor::CastOp::create(b, loc, type, value));
  }

private:
  Value index(OpFoldResult value) { return getValueOrCreateConstantIndexOp(b, loc, value); }

  // Within [0, size].
  OpFoldResult clamp(OpFoldResult value, OpFoldResult size) {
    Value low = b.createOrFold<arith::MaxSIOp>(loc, index(value), index(b.getIndexAttr(0)));
    return getAsOpFoldResult(b.createOrFold<arith::MinSIOp>(loc, low, index(size)));
  }

  OpBuilder &b;
  Location loc;
};

} // namespace

static Value paddingOf(OpBuilder &builder, tensor::PadOp op) {
  Value padding = op.getConstantPaddingValue();
  TypedAttr constant;
  if (matchPattern(padding, m_Constant(&constant))) // it may stand in the op
    return arith::ConstantOp::create(builder, op.getLoc(), constant);
  return padding;
}

// The number of positions that the whole operand has.
static OpFoldResult sizeOf(OpBuilder &builder, Location loc, Value whole, Value local, int64_t dim) {
  int64_t known = cast<RankedTensorType>(whole.getType()).getDimSize(dim);
  return ShapedType::isDynamic(known) ? tensor::getMixedSize(builder, loc, local, dim)
                                      : OpFoldResult(builder.getIndexAttr(known));
}

Value flow::padOnParts(OpBuilder &builder, tensor::PadOp op, ValueRange operands, ArrayRef<RankPart> parts,
                       TakenWhole wholeOf, RankedTensorType type) {
  Location loc = op.getLoc();
  Shifted shifted(builder, loc);
  // The amounts are operands behind the source.
  SmallVector<OpFoldResult> low = op.getMixedLowPad(), high = op.getMixedHighPad();
  Value source = operands.front();
  for (auto [dim, part] : llvm::enumerate(parts)) {
    bool pads = !isConstantIntValue(low[dim], 0) || !isConstantIntValue(high[dim], 0);
    if (part.isWhole() || !pads)
      continue;
    OpFoldResult taken = wholeOf(0, dim);
    OpFoldResult size = taken ? taken : sizeOf(builder, loc, op.getSource(), source, dim);
    auto [begin, end] = shifted.within(part, low[dim], size);
    if (!taken)
      source = shifted.take(source, dim, begin, end);
    low[dim] = shifted.inFront(part, low[dim]);
    high[dim] = shifted.minus(shifted.minus(part.size, low[dim]), shifted.minus(end, begin));
  }
  return tensor::PadOp::create(builder, loc, type, source, low, high, paddingOf(builder, op), op.getNofold());
}

Value flow::joinOnParts(OpBuilder &builder, tensor::ConcatOp op, ValueRange operands, ArrayRef<RankPart> parts,
                        TakenWhole wholeOf, RankedTensorType type) {
  Location loc = op.getLoc();
  int64_t dim = op.getDim();
  SmallVector<Value> given(operands);
  Shifted shifted(builder, loc);
  if (!parts[dim].isWhole()) {
    OpFoldResult before = builder.getIndexAttr(0);
    for (auto [number, whole, local] : llvm::enumerate(op->getOperands(), given)) {
      OpFoldResult taken = wholeOf(number, dim);
      OpFoldResult size = taken ? taken : sizeOf(builder, loc, whole, local, dim);
      auto [begin, end] = shifted.within(parts[dim], before, size);
      if (!taken)
        local = shifted.take(local, dim, begin, end);
      before = flow::buildSum(builder, loc, before, size);
    }
  }
  return shifted.castTo(tensor::ConcatOp::create(builder, loc, dim, given), type);
}

Value flow::takePositions(OpBuilder &builder, Location loc, Value source, ArrayRef<const RankPart *> positions,
                          Reduction reduction, SliceOf slice) {
  if (llvm::none_of(positions, [](const RankPart *part) { return part != nullptr; }))
    return source;
  auto index = [&](OpFoldResult value) { return getValueOrCreateConstantIndexOp(builder, loc, value); };
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  SmallVector<OpFoldResult> taken = slice.sizes, high(taken.size(), zero);
  for (auto [dim, part] : llvm::enumerate(positions)) {
    if (!part)
      continue;
    Value at = arith::SubIOp::create(builder, loc, index(slice.offsets[dim]), index(part->begin));
    Value isHere = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, at, index(part->size));
    slice.offsets[dim] = arith::SelectOp::create(builder, loc, isHere, at, index(zero)).getResult();
    taken[dim] = arith::SelectOp::create(builder, loc, isHere, index(one), index(zero)).getResult();
    high[dim] = arith::SelectOp::create(builder, loc, isHere, index(zero), index(one)).getResult();
  }
  auto typeOf = [&](ArrayRef<OpFoldResult> sizes) {
    SmallVector<int64_t> shape = llvm::map_to_vector(sizes, [](OpFoldResult size) {
      auto known = dyn_cast<Attribute>(size);
      return known ? cast<IntegerAttr>(known).getInt() : ShapedType::kDynamic;
    });
    return RankedTensorType::get(shape, cast<RankedTensorType>(source.getType()).getElementType());
  };
  Value local =
      tensor::ExtractSliceOp::create(builder, loc, typeOf(taken), source, slice.offsets, taken, slice.strides);
  TypedAttr neutral = getNeutral(reduction, typeOf(taken).getElementType());
  slice.offsets.assign(taken.size(), zero);
  slice.strides.assign(taken.size(), one);
  Value padding = arith::ConstantOp::create(builder, loc, neutral);
  return tensor::PadOp::create(builder, loc, typeOf(slice.sizes), local, slice.offsets, high, padding);
}
