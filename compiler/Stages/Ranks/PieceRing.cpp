// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is gathered as one piece from each member, sent to this one as it is: no piece is cut, and the first is here.
// And what is scattered as one piece for each member, sent to it as soon as it is computed, and summed there.
#include "compiler/Dialect/Flow/Transforms/Shards.h"
#include "compiler/Dialect/Flow/Transforms/Updates.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Ranks/PieceCut.h"
#include "compiler/Stages/Ranks/PieceSlices.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::pieces;

// A sum of elements that a group adds in their own type (collectives/Reduce.h): so the order and the bits are the same.
static bool isPlainSum(flow::CollectiveOpInterface collective) {
  auto scatter = dyn_cast<flow::ReduceScatterOp>(collective.getOperation());
  Type element = collective.getOperandType().getElementType();
  return scatter && scatter.getReduction() == flow::Reduction::Sum && element.isIntOrFloat() &&
         element.getIntOrFloatBitWidth() >= 32;
}

bool PieceCut::canGoAround() const {
  // What has a place for each member is there before any of them has come: of known sizes.
  auto isKnown = [](Value value) { return typeOf(value).hasStaticShape(); };
  return why.empty() && isKnown(collective.getOperand()) && llvm::all_of(findJoined(), isKnown) && byMember &&
         !isFree() && members >= 2 && members <= int64_t(::heddle::contract::kMostPieces) &&
         collective.getAxes().size() == 1 && !collective.getGroupsAttr() && (feeds || isPlainSum(collective));
}

// Each member's `value` goes to the one so many places ahead.
Value PieceCut::shift(OpBuilder &builder, Value value, int64_t distance) const {
  if (distance == 0)
    return value;
  OperationState state(collective.getLoc(), flow::PermuteOp::getOperationName());
  state.addOperands(value);
  state.addOperands(dynamicOf(sizesOf(builder, value)));
  state.addTypes(value.getType());
  state.addAttribute("shift", builder.getI64IntegerAttr(distance));
  state.addAttribute("mesh", collective.getMeshAttr());
  state.addAttribute("axes", collective.getAxes());
  if (Attribute affinity = collective->getAttr(kAffinityAttr))
    state.addAttribute(kAffinityAttr, affinity);
  return builder.create(state)->getResult(0);
}

Value PieceCut::placeOf(OpBuilder &builder, int64_t distance) const {
  Location loc = collective.getLoc();
  Value place = flow::CoordinateOp::create(builder, loc, builder.getIndexType(), collective.getMeshAttr(),
                                           cast<StringAttr>(collective.getAxes()[0]));
  if (distance == 0)
    return place;
  Value far = arith::AddIOp::create(builder, loc, place, arith::ConstantIndexOp::create(builder, loc, distance));
  return arith::RemSIOp::create(builder, loc, far, arith::ConstantIndexOp::create(builder, loc, members));
}

// Where the rows of the member so many places ahead begin.
Value PieceCut::rowsOf(OpBuilder &builder, int64_t distance) const {
  Location loc = collective.getLoc();
  return arith::MulIOp::create(builder, loc, placeOf(builder, distance),
                               arith::ConstantIndexOp::create(builder, loc, extent));
}

static Value insertAt(OpBuilder &builder, Location loc, Value part, Value into, int64_t dim, Value begin) {
  SmallVector<OpFoldResult> sizes = sizesOf(builder, part), steps(sizes.size(), builder.getIndexAttr(1));
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0));
  offsets[dim] = begin;
  return tensor::InsertSliceOp::create(builder, loc, part, into, offsets, sizes, steps);
}

// The members' parts, which dimension `dim` numbers, in their order: ((x0 + x1) + x2) + …
static Value sumMembers(OpBuilder &builder, Location loc, Value parts, int64_t dim, RankedTensorType type) {
  Type element = type.getElementType();
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(), element);
  Value neutral = arith::ConstantOp::create(builder, loc, flow::getNeutral(flow::Reduction::Sum, element));
  Value init = linalg::FillOp::create(builder, loc, neutral, empty).getResult(0);
  AffineMap all = builder.getMultiDimIdentityMap(type.getRank() + 1);
  SmallVector<utils::IteratorType> kinds(type.getRank() + 1, utils::IteratorType::parallel);
  kinds[dim] = utils::IteratorType::reduction;
  auto add = [&](OpBuilder &inner, Location, ValueRange elements) {
    Value sum = isa<FloatType>(element) ? Value(arith::AddFOp::create(inner, loc, elements[1], elements[0]))
                                        : Value(arith::AddIOp::create(inner, loc, elements[1], elements[0]));
    linalg::YieldOp::create(inner, loc, sum);
  };
  return linalg::GenericOp::create(builder, loc, TypeRange{type}, ValueRange{parts}, ValueRange{init},
                                   ArrayRef<AffineMap>{all, all.dropResult(dim)}, kinds, add)
      .getResult(0);
}

// The others' rows first, each sent as soon as it is there.
Value PieceCut::buildScattered(OpBuilder &builder) {
  Location loc = collective.getLoc();
  RankedTensorType type = collective.getResultType();
  Value filled =
      tensor::EmptyOp::create(builder, loc, typeOf(collective.getOperand()).getShape(), type.getElementType());
  filled.getDefiningOp()->setAttr(flow::kFilledAttr,
                                  builder.getI64IntegerAttr(flow::nextFilled(collective->getParentOfType<ModuleOp>())));
  llvm::SaveAndRestore ofOne(byMember, false); // a piece is the rows of one
  for (int64_t step = 1; step <= members; ++step) {
    int64_t distance = step % members;
    IRMapping mapping;
    for (const Work &each : works)
      work(builder, each, {rowsOf(builder, distance), builder.getIndexAttr(extent)}, mapping);
    Value got = shift(builder, mapping.lookup(collective.getOperand()), distance);
    filled = insertAt(builder, loc, got, filled, dim, rowsOf(builder, (members - distance) % members));
  }
  Value parts = splitMembers(builder, filled, dim, members, builder.getIndexAttr(extent));
  return sumMembers(builder, loc, parts, dim, type);
}

SmallVector<Value> PieceCut::buildAround(OpBuilder &builder) {
  if (!feeds)
    return {buildScattered(builder)};
  Location loc = collective.getLoc();
  SmallVector<Value> joined = findJoined(), filled;
  int64_t next = flow::nextFilled(collective->getParentOfType<ModuleOp>());
  for (Value value : joined) {
    auto memory = tensor::EmptyOp::create(builder, loc, typeOf(value).getShape(), typeOf(value).getElementType());
    memory->setAttr(flow::kFilledAttr, builder.getI64IntegerAttr(next++));
    filled.push_back(memory);
  }
  llvm::SaveAndRestore ofOne(byMember, false); // a piece is the rows of one
  for (int64_t distance = 0; distance < members; ++distance) {
    Value begin = rowsOf(builder, distance);
    IRMapping mapping;
    // Of the member so many places ahead.
    mapping.map(collective.getResult(), shift(builder, collective.getOperand(), (members - distance) % members));
    for (const Work &each : works)
      work(builder, each, {begin, builder.getIndexAttr(extent)}, mapping);
    for (auto [value, into] : llvm::zip_equal(joined, filled))
      into = insertAt(builder, loc, mapping.lookup(value), into, *dimOf(value), begin);
  }
  return filled;
}
