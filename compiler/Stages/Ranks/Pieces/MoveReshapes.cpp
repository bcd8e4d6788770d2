// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/Pieces/MoveReshapes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::heddle;

namespace {

// A reshape by its finer and its coarser side: each dimension of the coarse one is a group of the fine one's.
struct Reshape {
  Operation *op;
  Value from;
  SmallVector<ReassociationIndices> groups;
  bool expands; // from coarse to fine
};

} // namespace

static std::optional<Reshape> asReshape(Operation *op) {
  if (auto expand = dyn_cast_if_present<tensor::ExpandShapeOp>(op))
    return Reshape{op, expand.getSrc(), expand.getReassociationIndices(), true};
  if (auto collapse = dyn_cast_if_present<tensor::CollapseShapeOp>(op))
    return Reshape{op, collapse.getSrc(), collapse.getReassociationIndices(), false};
  return std::nullopt;
}

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

// Of the fine dimension `dim` the coarse one, where the fine ones in front of it in its group are of one position.
static std::optional<int64_t> toCoarse(ArrayRef<ReassociationIndices> groups, RankedTensorType fine, int64_t dim) {
  for (auto [coarse, group] : llvm::enumerate(groups))
    for (int64_t each : group) {
      if (each == dim)
        return coarse;
      if (group.back() >= dim && fine.getDimSize(each) != 1)
        break;
    }
  return std::nullopt;
}

// Of the coarse dimension `dim` the first fine one of several positions.
static std::optional<int64_t> toFine(ArrayRef<ReassociationIndices> groups, RankedTensorType fine, int64_t dim) {
  for (int64_t each : groups[dim])
    if (fine.getDimSize(each) != 1)
      return each;
  return std::nullopt;
}

static SmallVector<Value> dynamicOf(ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> values;
  for (OpFoldResult size : sizes)
    if (auto value = dyn_cast<Value>(size))
      values.push_back(value);
  return values;
}

bool mlir::heddle::hasEqualPieces(flow::CollectiveOpInterface op) {
  auto dim = op->getAttrOfType<IntegerAttr>("dim");
  if (!dim || !op.isCut())
    return true;
  int64_t from = op.getOperandType().getDimSize(dim.getInt()), to = op.getResultType().getDimSize(dim.getInt());
  int64_t members = flow::getGroupSize(op, flow::getMesh(op, op.getMeshAttr()));
  return !ShapedType::isDynamic(from) && !ShapedType::isDynamic(to) && members != device::MeshOp::kFree &&
         std::max(from, to) == members * std::min(from, to);
}

// The same collective of another operand, along another dimension where it has one.
static flow::CollectiveOpInterface recreate(OpBuilder &builder, flow::CollectiveOpInterface op, Value operand,
                                            ArrayRef<OpFoldResult> to, std::optional<int64_t> dim) {
  SmallVector<Value> ofOperand = dynamicOf(tensor::getMixedSizes(builder, op.getLoc(), operand));
  SmallVector<Value> ofResult = dynamicOf(to);
  SmallVector<int64_t> shape = llvm::map_to_vector(
      to, [](OpFoldResult size) { return getConstantIntValue(size).value_or(ShapedType::kDynamic); });
  OperationState state(op.getLoc(), op->getName());
  state.addOperands(operand);
  state.addOperands(ofOperand);
  state.addTypes(RankedTensorType::get(shape, typeOf(operand).getElementType()));
  state.addAttributes(op->getAttrs());
  if (op->hasAttr("operandSegmentSizes")) {
    state.addOperands(ofResult);
    state.attributes.set("operandSegmentSizes",
                         builder.getDenseI32ArrayAttr(
                             {1, static_cast<int32_t>(ofOperand.size()), static_cast<int32_t>(ofResult.size()), 0}));
  }
  if (dim)
    state.attributes.set("dim", builder.getI64IntegerAttr(*dim));
  return cast<flow::CollectiveOpInterface>(builder.create(state));
}

static Value reshape(OpBuilder &builder, Location loc, const Reshape &like, Value value, ArrayRef<OpFoldResult> sizes) {
  SmallVector<int64_t> shape = llvm::map_to_vector(
      sizes, [](OpFoldResult size) { return getConstantIntValue(size).value_or(ShapedType::kDynamic); });
  auto type = RankedTensorType::get(shape, typeOf(value).getElementType());
  if (like.expands)
    return tensor::ExpandShapeOp::create(builder, loc, type, value, like.groups, sizes);
  return tensor::CollapseShapeOp::create(builder, loc, type, value, like.groups);
}

static std::optional<int64_t> ownDim(flow::CollectiveOpInterface op) {
  auto dim = op->getAttrOfType<IntegerAttr>("dim");
  return dim ? std::optional(dim.getInt()) : std::nullopt;
}

static SmallVector<OpFoldResult> resultSizes(OpBuilder &builder, flow::CollectiveOpInterface op) {
  return getMixedValues(op.getResultType().getShape(), op.getResultDims(), builder.getContext());
}

// all_reduce and reduce_scatter of a reshape are the reshape of theirs. Null where they are not.
static flow::CollectiveOpInterface moveBehind(flow::CollectiveOpInterface op) {
  std::optional<Reshape> found = asReshape(op.getOperand().getDefiningOp());
  if (!found || !op.getOperand().hasOneUse())
    return {};
  RankedTensorType from = typeOf(found->from), fine = found->expands ? op.getOperandType() : from;
  OpBuilder builder(op);
  SmallVector<OpFoldResult> to = tensor::getMixedSizes(builder, op.getLoc(), found->from);
  std::optional<int64_t> dim = ownDim(op), moved;
  if (dim) {
    moved = found->expands ? toCoarse(found->groups, fine, *dim) : toFine(found->groups, fine, *dim);
    int64_t whole = op.getOperandType().getDimSize(*dim), part = op.getResultType().getDimSize(*dim);
    if (!moved || ShapedType::isDynamic(whole) || ShapedType::isDynamic(part) || part == 0 || whole % part != 0 ||
        from.isDynamicDim(*moved) || from.getDimSize(*moved) % (whole / part) != 0)
      return {};
    to[*moved] = builder.getIndexAttr(from.getDimSize(*moved) / (whole / part));
  }
  flow::CollectiveOpInterface made = recreate(builder, op, found->from, to, moved);
  Value result = reshape(builder, op.getLoc(), *found, made.getResult(), resultSizes(builder, op));
  op.getResult().replaceAllUsesWith(result);
  op->erase();
  found->op->erase();
  return made;
}

// A reshape of what was gathered is what is gathered of the reshape.
static flow::CollectiveOpInterface moveInFront(flow::AllGatherOp gather) {
  auto op = cast<flow::CollectiveOpInterface>(gather.getOperation());
  std::optional<Reshape> found =
      op.getResult().hasOneUse() ? asReshape(*op.getResult().user_begin()) : std::optional<Reshape>();
  if (!found)
    return {};
  RankedTensorType whole = op.getResultType(), part = op.getOperandType(), result = typeOf(found->op->getResult(0));
  if (!whole.hasStaticShape() || !part.hasStaticShape() || !result.hasStaticShape())
    return {};
  std::optional<int64_t> dim = ownDim(op);
  std::optional<int64_t> moved =
      found->expands ? toFine(found->groups, result, *dim) : toCoarse(found->groups, whole, *dim);
  int64_t members = part.getDimSize(*dim) ? whole.getDimSize(*dim) / part.getDimSize(*dim) : 0;
  if (!moved || members == 0 || result.getDimSize(*moved) % members != 0)
    return {};
  OpBuilder builder(op);
  SmallVector<int64_t> shape(result.getShape());
  shape[*moved] /= members;
  Value operand =
      reshape(builder, op.getLoc(), *found, op.getOperand(), getAsIndexOpFoldResult(builder.getContext(), shape));
  flow::CollectiveOpInterface made =
      recreate(builder, op, operand, getAsIndexOpFoldResult(builder.getContext(), result.getShape()), moved);
  found->op->getResult(0).replaceAllUsesWith(made.getResult());
  found->op->erase();
  op->erase();
  return made;
}

flow::CollectiveOpInterface mlir::heddle::moveReshapes(flow::CollectiveOpInterface op) {
  while (hasEqualPieces(op)) {
    flow::CollectiveOpInterface moved;
    if (auto gather = dyn_cast<flow::AllGatherOp>(*op))
      moved = moveInFront(gather);
    else if (isa<flow::AllReduceOp, flow::ReduceScatterOp>(*op))
      moved = moveBehind(op);
    if (!moved)
      break;
    op = moved;
  }
  return op;
}
