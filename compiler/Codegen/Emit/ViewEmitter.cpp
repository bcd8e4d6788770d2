// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ElementEmitter on ops that move elements: slices, pads, concatenations, reshapes, constants.
#include "compiler/Codegen/Emit/ElementEmitter.h"

using namespace mlir;
using namespace mlir::heddle::codegen;

LaneValue ElementEmitter::computePad(tensor::PadOp op, ArrayRef<LaneValue> index) {
  SmallVector<LaneValue> source;
  LaneValue inside = LaneValue::uniform(arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true)));
  for (int64_t dim = 0; dim < static_cast<int64_t>(index.size()); ++dim) {
    OpFoldResult low = op.getMixedLowPad()[dim], high = op.getMixedHighPad()[dim];
    if (isConstantIntValue(low, 0) && isConstantIntValue(high, 0)) {
      source.push_back(index[dim]);
      continue;
    }
    source.push_back(lanes.sub(index[dim], toScalar(low)));
    if (insidePads.contains({op, dim}))
      continue;
    LaneValue size = LaneValue::uniform(scalars.size(op.getSource(), dim));
    inside = lanes.logicalAnd(inside, lanes.isInside(source.back(), size));
  }
  Value padding = op.getConstantPaddingValue();
  if (!padding)
    return fail(op, "needs one padding value for all elements in a dispatch");
  Value value = scalars.get(padding);
  return choose(
      inside, op.getType().getElementType(), [&] { return evaluate(op.getSource(), source); },
      [&] { return LaneValue::uniform(value); });
}

// Whether only the call knows where inputs begin along the lanes, of which a row has several vectors.
static bool mayLieInOneInput(const LaneBuilder &lanes, LaneValue place, ArrayRef<Value> begins) {
  constexpr size_t kMostInputs = 4; // as each has code once more
  return lanes.width > 1 && place.isContiguous() && !getConstant(place.base) && begins.size() <= kMostInputs &&
         llvm::any_of(begins, [](Value begin) { return !getConstant(begin); });
}

LaneValue ElementEmitter::computeConcat(tensor::ConcatOp op, ArrayRef<LaneValue> index) {
  auto axis = op.getDim();
  // Where each input begins along the axis.
  SmallVector<Value> begins{scalars.constant(0)};
  for (Value input : op.getInputs().drop_back())
    begins.push_back(scalars.add(begins.back(), scalars.size(input, axis)));
  Type element = op.getType().getElementType();
  auto evaluateInput = [&](size_t i) {
    SmallVector<LaneValue> source(index);
    source[axis] = lanes.sub(index[axis], LaneValue::uniform(begins[i]));
    return evaluate(op.getInputs()[i], source);
  };
  std::function<LaneValue(size_t)> from = [&](size_t i) {
    if (i + 1 == begins.size())
      return evaluateInput(i);
    LaneValue here = lanes.isInside(index[axis], LaneValue::uniform(begins[i + 1]));
    return choose(here, element, [&] { return evaluateInput(i); }, [&] { return from(i + 1); });
  };
  if (!mayLieInOneInput(lanes, index[axis], begins))
    return from(0);
  // A vector that lies in one input reads no other, and needs no masks.
  Value first = index[axis].base;
  Value end = builder.createOrFold<arith::AddIOp>(loc, first, lanes.index(lanes.width));
  auto compare = [&](arith::CmpIPredicate predicate, Value a, Value b) {
    return builder.createOrFold<arith::CmpIOp>(loc, predicate, a, b);
  };
  std::function<LaneValue(size_t)> whole = [&](size_t i) {
    if (i == begins.size())
      return from(0);
    Value here = compare(arith::CmpIPredicate::sge, first, begins[i]);
    if (i + 1 < begins.size())
      here = builder.createOrFold<arith::AndIOp>(loc, here, compare(arith::CmpIPredicate::sle, end, begins[i + 1]));
    return branch(here, lanes.vectorOf(element), [&] { return evaluateInput(i); }, [&] { return whole(i + 1); });
  };
  return whole(0);
}

LaneValue ElementEmitter::computeInsertSlice(tensor::InsertSliceOp op, ArrayRef<LaneValue> index) {
  SmallVector<LaneValue> source;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  LaneValue inside = LaneValue::uniform(arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true)));
  for (int64_t dim = 0; dim < static_cast<int64_t>(index.size()); ++dim) {
    LaneValue shifted = lanes.sub(index[dim], toScalar(op.getMixedOffsets()[dim]));
    LaneValue position = shifted;
    if (OpFoldResult stride = op.getMixedStrides()[dim]; !isConstantIntValue(stride, 1)) {
      LaneValue step = toScalar(stride);
      inside = lanes.logicalAnd(inside,
                                lanes.compare(arith::CmpIPredicate::eq, lanes.mod(shifted, step), lanes.constant(0)));
      position = lanes.floorDiv(shifted, step);
    }
    LaneValue size = toScalar(op.getMixedSizes()[dim]);
    inside = lanes.logicalAnd(inside, lanes.compare(arith::CmpIPredicate::ult, position, size));
    // Below the offset the unsigned quotient of a stride may still look small.
    inside = lanes.logicalAnd(inside, lanes.compare(arith::CmpIPredicate::sge, shifted, lanes.constant(0)));
    if (!dropped.test(dim))
      source.push_back(position);
  }
  return choose(
      inside, op.getType().getElementType(), [&] { return evaluate(op.getSource(), source); },
      [&] { return evaluate(op.getDest(), index); });
}

LaneValue ElementEmitter::computeExtractSlice(tensor::ExtractSliceOp op, ArrayRef<LaneValue> index) {
  SmallVector<LaneValue> source;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  unsigned next = 0;
  for (int64_t dim = 0; dim < op.getSourceType().getRank(); ++dim) {
    LaneValue i = dropped.test(dim) ? lanes.constant(0) : index[next++];
    i = lanes.mul(i, toScalar(op.getMixedStrides()[dim]));
    source.push_back(lanes.add(i, toScalar(op.getMixedOffsets()[dim])));
  }
  return evaluate(op.getSource(), source);
}

LaneValue ElementEmitter::computeExpand(tensor::ExpandShapeOp op, ArrayRef<LaneValue> index) {
  SmallVector<LaneValue> source;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    LaneValue linear = lanes.constant(0);
    for (int64_t dim : group)
      linear = lanes.add(lanes.mul(linear, LaneValue::uniform(scalars.size(op.getResult(), dim))), index[dim]);
    source.push_back(linear);
  }
  return evaluate(op.getSrc(), source);
}

LaneValue ElementEmitter::computeCollapse(tensor::CollapseShapeOp op, ArrayRef<LaneValue> index) {
  SmallVector<LaneValue> source(op.getSrcType().getRank());
  for (auto [position, group] : llvm::enumerate(op.getReassociationIndices())) {
    LaneValue rest = index[position];
    auto isUnit = [&](int64_t dim) { return op.getSrcType().getDimSize(dim) == 1; };
    // The outermost dimension that is not 1 takes what is left, without a division.
    auto outermost = llvm::find_if_not(group, isUnit);
    for (int64_t dim : llvm::reverse(group)) {
      if (isUnit(dim)) {
        source[dim] = lanes.constant(0);
      } else if (dim == *outermost) {
        source[dim] = rest;
      } else {
        LaneValue size = LaneValue::uniform(scalars.size(op.getSrc(), dim));
        source[dim] = lanes.mod(rest, size);
        rest = lanes.floorDiv(rest, size);
      }
    }
  }
  return evaluate(op.getSrc(), source);
}

LaneValue ElementEmitter::computeFromElements(tensor::FromElementsOp op, ArrayRef<LaneValue> index) {
  RankedTensorType type = op.getType();
  LaneValue linear = lanes.constant(0);
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    linear = lanes.add(lanes.mul(linear, lanes.constant(type.getDimSize(dim))), index[dim]);
  LaneValue value = toScalar(op.getElements().back());
  for (int64_t i = op.getElements().size() - 1; i-- > 0;)
    value = lanes.select(lanes.compare(arith::CmpIPredicate::eq, linear, lanes.constant(i)),
                         toScalar(op.getElements()[i]), value);
  return value;
}

LaneValue ElementEmitter::computeConstant(arith::ConstantOp op, ArrayRef<LaneValue> index) {
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  constexpr int64_t kLimit = 64; // larger ones are parameters (form-hoist-constants)
  if (!elements || (!elements.isSplat() && elements.getNumElements() > kLimit))
    return fail(op, "a dispatch may hold constants of up to 64 elements");
  auto element = [&](Attribute attr) {
    return LaneValue::uniform(arith::ConstantOp::create(builder, loc, cast<TypedAttr>(attr)));
  };
  if (elements.isSplat())
    return element(elements.getSplatValue<Attribute>());
  LaneValue linear = lanes.constant(0);
  for (auto [dim, size] : llvm::enumerate(elements.getType().getShape()))
    linear = lanes.add(lanes.mul(linear, lanes.constant(size)), index[dim]);
  SmallVector<Attribute> values(elements.getValues<Attribute>());
  LaneValue value = element(values.back());
  for (int64_t i = values.size() - 1; i-- > 0;)
    value = lanes.select(lanes.compare(arith::CmpIPredicate::eq, linear, lanes.constant(i)), element(values[i]), value);
  return value;
}
