// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/Pieces/PieceRing.h"

#include "compiler/Dialect/Flow/Transforms/Shards.h"
#include "compiler/Dialect/Flow/Transforms/Updates.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Ranks/Pieces/PieceParts.h"
#include "compiler/Stages/Ranks/Pieces/PieceSlices.h"

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

bool pieces::canGoAround(const PiecePlan &plan) {
  // What has a place for each member is there before any of them has come: of known sizes.
  auto isKnown = [](Value value) { return typeOf(value).hasStaticShape(); };
  return plan.why.empty() && isKnown(plan.collective.getOperand()) && llvm::all_of(plan.findJoined(), isKnown) &&
         plan.byMember && !plan.isFree() && plan.members >= 2 &&
         plan.members <= int64_t(::heddle::contract::kMostPieces) && plan.collective.getAxes().size() == 1 &&
         !plan.collective.getGroupsAttr() && (plan.feeds || isPlainSum(plan.collective));
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

namespace {

class Ring {
public:
  // A piece is the rows of one member.
  Ring(const PiecePlan &of, OpBuilder &builder)
      : plan(of), parts(plan, builder.getIndexAttr(of.extent)), builder(builder) {
    plan.byMember = false;
  }

  SmallVector<Value> run();

private:
  Value buildScattered();
  Value shift(Value value, int64_t distance);
  Value placeOf(int64_t distance);
  Value rowsOf(int64_t distance);

  PiecePlan plan;
  PieceParts parts;
  OpBuilder &builder;
};

} // namespace

// Each member's `value` goes to the one so many places ahead.
Value Ring::shift(Value value, int64_t distance) {
  if (distance == 0)
    return value;
  OperationState state(plan.collective.getLoc(), flow::PermuteOp::getOperationName());
  state.addOperands(value);
  state.addOperands(dynamicOf(sizesOf(builder, value)));
  state.addTypes(value.getType());
  state.addAttribute("shift", builder.getI64IntegerAttr(distance));
  state.addAttribute("mesh", plan.collective.getMeshAttr());
  state.addAttribute("axes", plan.collective.getAxes());
  if (Attribute affinity = plan.collective->getAttr(kAffinityAttr))
    state.addAttribute(kAffinityAttr, affinity);
  return builder.create(state)->getResult(0);
}

Value Ring::placeOf(int64_t distance) {
  Location loc = plan.collective.getLoc();
  Value place = flow::CoordinateOp::create(builder, loc, builder.getIndexType(), plan.collective.getMeshAttr(),
                                           cast<StringAttr>(plan.collective.getAxes()[0]));
  if (distance == 0)
    return place;
  Value far = arith::AddIOp::create(builder, loc, place, arith::ConstantIndexOp::create(builder, loc, distance));
  return arith::RemSIOp::create(builder, loc, far, arith::ConstantIndexOp::create(builder, loc, plan.members));
}

// Where the rows of the member so many places ahead begin.
Value Ring::rowsOf(int64_t distance) {
  Location loc = plan.collective.getLoc();
  return arith::MulIOp::create(builder, loc, placeOf(distance),
                               arith::ConstantIndexOp::create(builder, loc, plan.extent));
}

// The others' rows first, each sent as soon as it is there.
Value Ring::buildScattered() {
  Location loc = plan.collective.getLoc();
  RankedTensorType type = plan.collective.getResultType();
  Value filled =
      tensor::EmptyOp::create(builder, loc, typeOf(plan.collective.getOperand()).getShape(), type.getElementType());
  filled.getDefiningOp()->setAttr(
      flow::kFilledAttr, builder.getI64IntegerAttr(flow::nextFilled(plan.collective->getParentOfType<ModuleOp>())));
  for (int64_t step = 1; step <= plan.members; ++step) {
    int64_t distance = step % plan.members;
    IRMapping mapping;
    for (const PieceWork &each : plan.works)
      parts.work(builder, each, {rowsOf(distance), builder.getIndexAttr(plan.extent)}, mapping);
    Value got = shift(mapping.lookup(plan.collective.getOperand()), distance);
    filled = insertAt(builder, loc, got, filled, plan.dim, rowsOf((plan.members - distance) % plan.members));
  }
  Value all = splitMembers(builder, filled, plan.dim, plan.members, builder.getIndexAttr(plan.extent));
  return sumMembers(builder, loc, all, plan.dim, type);
}

SmallVector<Value> Ring::run() {
  if (!plan.feeds)
    return {buildScattered()};
  Location loc = plan.collective.getLoc();
  SmallVector<Value> joined = plan.findJoined(), filled;
  int64_t next = flow::nextFilled(plan.collective->getParentOfType<ModuleOp>());
  for (Value value : joined) {
    auto memory = tensor::EmptyOp::create(builder, loc, typeOf(value).getShape(), typeOf(value).getElementType());
    memory->setAttr(flow::kFilledAttr, builder.getI64IntegerAttr(next++));
    filled.push_back(memory);
  }
  for (int64_t distance = 0; distance < plan.members; ++distance) {
    Value begin = rowsOf(distance);
    IRMapping mapping;
    // Of the member so many places ahead.
    mapping.map(plan.collective.getResult(),
                shift(plan.collective.getOperand(), (plan.members - distance) % plan.members));
    for (const PieceWork &each : plan.works)
      parts.work(builder, each, {begin, builder.getIndexAttr(plan.extent)}, mapping);
    for (auto [value, into] : llvm::zip_equal(joined, filled))
      into = insertAt(builder, loc, mapping.lookup(value), into, *plan.dimOf(value), begin);
  }
  return filled;
}

SmallVector<Value> pieces::buildAround(const PiecePlan &plan, OpBuilder &builder) { return Ring(plan, builder).run(); }
