// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/Pieces/PieceParts.h"

#include "compiler/Dialect/Flow/Transforms/Updates.h"
#include "compiler/Stages/Ranks/Pieces/MoveReshapes.h"
#include "compiler/Stages/Ranks/Pieces/PieceSlices.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::pieces;

Value PieceParts::slice(OpBuilder &builder, Value value, int64_t at, const Piece &piece, bool isOfMembers) const {
  if (!isOfMembers)
    return sliceAt(builder, value, at, piece.begin, piece.size);
  Value parts = splitMembers(builder, value, at, plan.members, extent);
  return mergeMembers(builder, sliceAt(builder, parts, at + 1, piece.begin, piece.size), at);
}

// What a work begins with: a piece that is as large, where nothing is in it yet.
Value PieceParts::sliceInit(OpBuilder &builder, Value init, int64_t at, const Piece &piece) const {
  Location loc = init.getLoc();
  auto fill = init.getDefiningOp<linalg::FillOp>();
  if (!fill && !init.getDefiningOp<tensor::EmptyOp>())
    return slice(builder, init, at, piece, plan.byMember);
  SmallVector<OpFoldResult> sizes = sizesOf(builder, init);
  sizes[at] = ofAll(builder, piece.size, plan.byMember);
  Value empty = tensor::EmptyOp::create(builder, loc, sizes, typeOf(init).getElementType());
  return fill ? linalg::FillOp::create(builder, loc, fill.getInputs(), empty).getResult(0) : empty;
}

// The collective of a piece of its operand.
Value PieceParts::move(OpBuilder &builder, Value operand, const Piece &piece) const {
  SmallVector<OpFoldResult> from = sizesOf(builder, operand);
  SmallVector<OpFoldResult> to =
      getMixedValues(plan.collective.getResultType().getShape(), plan.collective.getResultDims(), builder.getContext());
  OpFoldResult size = ofAll(builder, piece.size, plan.feeds && plan.byMember);
  to[plan.dim] = size;
  OperationState state(plan.collective.getLoc(), plan.collective->getName());
  SmallVector<Value> ofOperand = dynamicOf(from), ofResult = dynamicOf(to);
  state.addOperands(operand);
  state.addOperands(ofOperand);
  state.addTypes(resized(plan.collective.getResult(), plan.dim, size));
  state.addAttributes(plan.collective->getAttrs());
  if (plan.collective->hasAttr("operandSegmentSizes")) {
    // Of equal pieces nothing need be said. Along another dimension they are what they were.
    SmallVector<Value> cut;
    if (!hasEqualPieces(plan.collective))
      llvm::append_range(cut, plan.collective.getCut());
    state.addOperands(ofResult);
    state.addOperands(cut);
    state.attributes.set("operandSegmentSizes", builder.getDenseI32ArrayAttr({1, static_cast<int32_t>(ofOperand.size()),
                                                                              static_cast<int32_t>(ofResult.size()),
                                                                              static_cast<int32_t>(cut.size())}));
  }
  return builder.create(state)->getResult(0);
}

void PieceParts::work(OpBuilder &builder, const PieceWork &each, const Piece &piece, IRMapping &mapping) const {
  linalg::LinalgOp op = each.op;
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    std::optional<int64_t> at = findDim(op.getMatchingIndexingMap(&operand), each.loop);
    if (Value made = mapping.lookupOrNull(value))
      operands.push_back(made);
    else if (!at)
      operands.push_back(value);
    else
      operands.push_back(op.isDpsInit(&operand) ? sliceInit(builder, value, *at, piece)
                                                : slice(builder, value, *at, piece, plan.byMember));
  }
  SmallVector<Type> types;
  for (Value init : ArrayRef(operands).take_back(op.getNumDpsInits()))
    types.push_back(init.getType());
  Operation *made = clone(builder, op, types, operands);
  mapping.map(op->getResults(), made->getResults());
}

// Parts behind one another; by member those of each member.
Value PieceParts::join(OpBuilder &builder, ArrayRef<Value> parts, int64_t at, Value whole, bool isOfMembers) const {
  SmallVector<Value> all(parts);
  if (isOfMembers)
    for (Value &part : all)
      part = splitMembers(builder, part, at, plan.members,
                          builder.getIndexAttr(typeOf(part).getDimSize(at) / plan.members));
  Value joined = tensor::ConcatOp::create(builder, whole.getLoc(), at + isOfMembers, all);
  if (isOfMembers)
    joined = mergeMembers(builder, joined, at);
  return joined.getType() == whole.getType()
             ? joined
             : tensor::CastOp::create(builder, whole.getLoc(), whole.getType(), joined).getResult();
}

OpFoldResult PieceParts::ofAll(OpBuilder &builder, OpFoldResult size, bool isOfMembers) const {
  if (!isOfMembers)
    return size;
  if (std::optional<int64_t> number = getConstantIntValue(size))
    return builder.getIndexAttr(*number * plan.members);
  Location loc = plan.collective.getLoc();
  return arith::MulIOp::create(builder, loc, cast<Value>(size),
                               arith::ConstantIndexOp::create(builder, loc, plan.members))
      .getResult();
}

// What parts of a free size fill: where it can be, before any of them is there, else behind them. It is as large as
// `like`, but for the dimension that is cut.
Value PieceParts::makeMemory(OpBuilder &builder, Value like, int64_t at, bool isOfMembers, int64_t number) const {
  SmallVector<OpFoldResult> sizes = plan.fillsInPlace()
                                        ? getAsIndexOpFoldResult(builder.getContext(), typeOf(like).getShape())
                                        : sizesOf(builder, like);
  sizes[at] = extent;
  if (isOfMembers)
    sizes.insert(sizes.begin() + at, builder.getIndexAttr(plan.members));
  auto memory = tensor::EmptyOp::create(builder, like.getLoc(), sizes, typeOf(like).getElementType());
  if (plan.fillsInPlace())
    memory->setAttr(flow::kFilledAttr, builder.getI64IntegerAttr(number));
  return memory;
}

// Parts of free sizes into what all of them are.
Value PieceParts::fill(OpBuilder &builder, Value memory, ArrayRef<Value> parts, ArrayRef<Piece> all, int64_t at,
                       Value whole, bool isOfMembers) const {
  Location loc = parts.front().getLoc();
  SmallVector<OpFoldResult> sizes = memory.getDefiningOp<tensor::EmptyOp>().getMixedSizes();
  Value filled = memory;
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0)),
      steps(sizes.size(), builder.getIndexAttr(1));
  for (auto [part, piece] : llvm::zip_equal(parts, all)) {
    offsets[at + isOfMembers] = piece.begin;
    sizes[at + isOfMembers] = piece.size;
    Value from = isOfMembers ? splitMembers(builder, part, at, plan.members, piece.size) : part;
    filled = tensor::InsertSliceOp::create(builder, loc, from, filled, offsets, sizes, steps);
  }
  filled = isOfMembers ? mergeMembers(builder, filled, at) : filled;
  return filled.getType() == whole.getType()
             ? filled
             : tensor::CastOp::create(builder, loc, whole.getType(), filled).getResult();
}
