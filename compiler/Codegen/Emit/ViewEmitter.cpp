// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Emit/ViewEmitter.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::heddle::codegen;

namespace {

class ViewEmitter {
public:
  ViewEmitter(ElementSource &source, ArrayRef<LaneValue> index)
      : source(source), lanes(source.lanes), builder(lanes.builder), loc(lanes.loc), index(index) {}

  LaneValue run(Operation *owner);

private:
  LaneValue computePad(tensor::PadOp op);
  LaneValue computeConcat(tensor::ConcatOp op);
  LaneValue computeInsertSlice(tensor::InsertSliceOp op);
  LaneValue computeExtractSlice(tensor::ExtractSliceOp op);
  LaneValue computeExpand(tensor::ExpandShapeOp op);
  LaneValue computeCollapse(tensor::CollapseShapeOp op);
  LaneValue computeFromElements(tensor::FromElementsOp op);
  LaneValue computeConstant(arith::ConstantOp op);
  LaneValue computeElementwise(Operation *op);

  ElementSource &source;
  LaneBuilder &lanes;
  OpBuilder &builder;
  Location loc;
  ArrayRef<LaneValue> index;
};

} // namespace

LaneValue ViewEmitter::run(Operation *owner) {
  return llvm::TypeSwitch<Operation *, LaneValue>(owner)
      .Case([&](tensor::EmptyOp op) { return lanes.zero(op.getType().getElementType()); })
      .Case([&](tensor::CastOp op) { return source.evaluate(op.getSource(), index); })
      .Case([&](tensor::PadOp op) { return computePad(op); })
      .Case([&](tensor::ConcatOp op) { return computeConcat(op); })
      .Case([&](tensor::InsertSliceOp op) { return computeInsertSlice(op); })
      .Case([&](tensor::ExtractSliceOp op) { return computeExtractSlice(op); })
      .Case([&](tensor::ExpandShapeOp op) { return computeExpand(op); })
      .Case([&](tensor::CollapseShapeOp op) { return computeCollapse(op); })
      .Case([&](tensor::FromElementsOp op) { return computeFromElements(op); })
      .Case([&](arith::ConstantOp op) { return computeConstant(op); })
      .Default([&](Operation *op) { return computeElementwise(op); });
}

LaneValue ViewEmitter::computePad(tensor::PadOp op) {
  SmallVector<LaneValue> at;
  LaneValue inside = LaneValue::uniform(arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true)));
  for (int64_t dim = 0; dim < static_cast<int64_t>(index.size()); ++dim) {
    OpFoldResult low = op.getMixedLowPad()[dim], high = op.getMixedHighPad()[dim];
    if (isConstantIntValue(low, 0) && isConstantIntValue(high, 0)) {
      at.push_back(index[dim]);
      continue;
    }
    at.push_back(lanes.sub(index[dim], source.toScalar(low)));
    if (source.isAssumedInside(op, dim))
      continue;
    LaneValue size = LaneValue::uniform(source.scalars.size(op.getSource(), dim));
    inside = lanes.logicalAnd(inside, lanes.isInside(at.back(), size));
  }
  Value padding = op.getConstantPaddingValue();
  if (!padding)
    return source.fail(op, "needs one padding value for all elements in a dispatch");
  Value value = source.scalars.get(padding);
  return source.choose(
      inside, op.getType().getElementType(), [&] { return source.evaluate(op.getSource(), at); },
      [&] { return LaneValue::uniform(value); });
}

// Whether only the call knows where inputs begin along the lanes, of which a row has several vectors.
static bool mayLieInOneInput(const LaneBuilder &lanes, LaneValue place, ArrayRef<Value> begins) {
  constexpr size_t kMostInputs = 4; // as each has code once more
  return lanes.width > 1 && place.isContiguous() && !getConstant(place.base) && begins.size() <= kMostInputs &&
         llvm::any_of(begins, [](Value begin) { return !getConstant(begin); });
}

LaneValue ViewEmitter::computeConcat(tensor::ConcatOp op) {
  auto axis = op.getDim();
  // Where each input begins along the axis.
  SmallVector<Value> begins{source.scalars.constant(0)};
  for (Value input : op.getInputs().drop_back())
    begins.push_back(source.scalars.add(begins.back(), source.scalars.size(input, axis)));
  Type element = op.getType().getElementType();
  auto evaluateInput = [&](size_t i) {
    SmallVector<LaneValue> at(index);
    at[axis] = lanes.sub(index[axis], LaneValue::uniform(begins[i]));
    return source.evaluate(op.getInputs()[i], at);
  };
  std::function<LaneValue(size_t)> from = [&](size_t i) {
    if (i + 1 == begins.size())
      return evaluateInput(i);
    LaneValue here = lanes.isInside(index[axis], LaneValue::uniform(begins[i + 1]));
    return source.choose(here, element, [&] { return evaluateInput(i); }, [&] { return from(i + 1); });
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
    return source.branch(here, lanes.vectorOf(element), [&] { return evaluateInput(i); }, [&] { return whole(i + 1); });
  };
  return whole(0);
}

LaneValue ViewEmitter::computeInsertSlice(tensor::InsertSliceOp op) {
  SmallVector<LaneValue> at;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  LaneValue inside = LaneValue::uniform(arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true)));
  for (int64_t dim = 0; dim < static_cast<int64_t>(index.size()); ++dim) {
    LaneValue shifted = lanes.sub(index[dim], source.toScalar(op.getMixedOffsets()[dim]));
    LaneValue position = shifted;
    if (OpFoldResult stride = op.getMixedStrides()[dim]; !isConstantIntValue(stride, 1)) {
      LaneValue step = source.toScalar(stride);
      inside = lanes.logicalAnd(inside,
                                lanes.compare(arith::CmpIPredicate::eq, lanes.mod(shifted, step), lanes.constant(0)));
      position = lanes.floorDiv(shifted, step);
    }
    LaneValue size = source.toScalar(op.getMixedSizes()[dim]);
    inside = lanes.logicalAnd(inside, lanes.compare(arith::CmpIPredicate::ult, position, size));
    // Below the offset the unsigned quotient of a stride may still look small.
    inside = lanes.logicalAnd(inside, lanes.compare(arith::CmpIPredicate::sge, shifted, lanes.constant(0)));
    if (!dropped.test(dim))
      at.push_back(position);
  }
  return source.choose(
      inside, op.getType().getElementType(), [&] { return source.evaluate(op.getSource(), at); },
      [&] { return source.evaluate(op.getDest(), index); });
}

LaneValue ViewEmitter::computeExtractSlice(tensor::ExtractSliceOp op) {
  SmallVector<LaneValue> at;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  unsigned next = 0;
  for (int64_t dim = 0; dim < op.getSourceType().getRank(); ++dim) {
    LaneValue i = dropped.test(dim) ? lanes.constant(0) : index[next++];
    i = lanes.mul(i, source.toScalar(op.getMixedStrides()[dim]));
    at.push_back(lanes.add(i, source.toScalar(op.getMixedOffsets()[dim])));
  }
  return source.evaluate(op.getSource(), at);
}

LaneValue ViewEmitter::computeExpand(tensor::ExpandShapeOp op) {
  SmallVector<LaneValue> at;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    LaneValue linear = lanes.constant(0);
    for (int64_t dim : group)
      linear = lanes.add(lanes.mul(linear, LaneValue::uniform(source.scalars.size(op.getResult(), dim))), index[dim]);
    at.push_back(linear);
  }
  return source.evaluate(op.getSrc(), at);
}

LaneValue ViewEmitter::computeCollapse(tensor::CollapseShapeOp op) {
  SmallVector<LaneValue> at(op.getSrcType().getRank());
  for (auto [position, group] : llvm::enumerate(op.getReassociationIndices())) {
    LaneValue rest = index[position];
    auto isUnit = [&](int64_t dim) { return op.getSrcType().getDimSize(dim) == 1; };
    // The outermost dimension that is not 1 takes what is left, without a division.
    auto outermost = llvm::find_if_not(group, isUnit);
    for (int64_t dim : llvm::reverse(group)) {
      if (isUnit(dim)) {
        at[dim] = lanes.constant(0);
      } else if (dim == *outermost) {
        at[dim] = rest;
      } else {
        LaneValue size = LaneValue::uniform(source.scalars.size(op.getSrc(), dim));
        at[dim] = lanes.mod(rest, size);
        rest = lanes.floorDiv(rest, size);
      }
    }
  }
  return source.evaluate(op.getSrc(), at);
}

LaneValue ViewEmitter::computeFromElements(tensor::FromElementsOp op) {
  RankedTensorType type = op.getType();
  LaneValue linear = lanes.constant(0);
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    linear = lanes.add(lanes.mul(linear, lanes.constant(type.getDimSize(dim))), index[dim]);
  LaneValue value = source.toScalar(op.getElements().back());
  for (int64_t i = op.getElements().size() - 1; i-- > 0;)
    value = lanes.select(lanes.compare(arith::CmpIPredicate::eq, linear, lanes.constant(i)),
                         source.toScalar(op.getElements()[i]), value);
  return value;
}

LaneValue ViewEmitter::computeConstant(arith::ConstantOp op) {
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  constexpr int64_t kLimit = 64; // larger ones are parameters (form-hoist-constants)
  if (!elements || (!elements.isSplat() && elements.getNumElements() > kLimit))
    return source.fail(op, "a dispatch may hold constants of up to 64 elements");
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

LaneValue ViewEmitter::computeElementwise(Operation *op) {
  if (!OpTrait::hasElementwiseMappableTraits(op))
    return source.fail(op, "the CPU code generator does not support this op in a dispatch");
  SmallVector<LaneValue> operands;
  for (Value operand : op->getOperands())
    operands.push_back(isa<ShapedType>(operand.getType()) ? source.evaluate(operand, index) : source.toScalar(operand));
  return lanes.apply(op, operands);
}

LaneValue mlir::heddle::codegen::evaluateView(ElementSource &source, Operation *op, ArrayRef<LaneValue> index) {
  return ViewEmitter(source, index).run(op);
}
