// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/Pieces/PieceBuild.h"

#include "compiler/Dialect/Flow/Transforms/Updates.h"
#include "compiler/Stages/Ranks/Pieces/PieceRing.h"
#include "compiler/Stages/Ranks/Pieces/PieceSlices.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::pieces;
namespace contract = ::heddle::contract;

// The formula of pieceBegin().
SmallVector<Piece> PieceBuilder::cutExtent(OpBuilder &builder, unsigned pieces) {
  SmallVector<Piece> all;
  extent = builder.getIndexAttr(plan.extent);
  for (unsigned i = 0; i < pieces; ++i) {
    int64_t begin = contract::pieceBegin(plan.extent, i, pieces);
    int64_t size = contract::pieceBegin(plan.extent, i + 1, pieces) - begin;
    if (size)
      all.push_back({builder.getIndexAttr(begin), builder.getIndexAttr(size)});
  }
  return all;
}

// Of the side on which a rank has what is cut, or both do.
OpFoldResult PieceBuilder::findExtent(OpBuilder &builder) {
  bool isOfResult = plan.byMember && !plan.feeds;
  return getMixedValues((isOfResult ? plan.collective.getResultType() : plan.collective.getOperandType()).getShape(),
                        isOfResult ? plan.collective.getResultDims() : plan.collective.getOperandDims(),
                        builder.getContext())[plan.dim];
}

// The same of the extent that the call knows: in fewer pieces where there are fewer positions. The end of a part is
// where the next one begins, so that they are seen to fill all (flow::isFill).
SmallVector<Piece> PieceBuilder::cutFree(OpBuilder &builder, unsigned pieces, Value positions) {
  SmallVector<Piece> all;
  Location loc = plan.collective.getLoc();
  extent = findExtent(builder);
  auto number = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(builder, loc, value); };
  Value size = getValueOrCreateConstantIndexOp(builder, loc, extent), begin = number(0);
  Value count = size;
  if (positions) { // a divisor that is one wherever it stands
    positions = arith::MaxSIOp::create(builder, loc, positions, number(1));
    count = arith::DivSIOp::create(builder, loc, size, positions);
  }
  count = arith::MinSIOp::create(builder, loc, count, number(pieces));
  count = arith::MaxSIOp::create(builder, loc, count, number(1));
  for (unsigned i = 1; i <= pieces; ++i) {
    Value end = size;
    if (i < pieces) {
      end = arith::MinSIOp::create(builder, loc, number(i), count);
      end = arith::DivSIOp::create(builder, loc, arith::MulIOp::create(builder, loc, end, size), count);
    }
    all.push_back({begin, arith::SubIOp::create(builder, loc, end, begin).getResult()});
    begin = end;
  }
  return all;
}

SmallVector<Value> PieceBuilder::buildPieces(OpBuilder &builder, ArrayRef<Piece> all) {
  SmallVector<Value> joined = plan.findJoined();
  SmallVector<SmallVector<Value>> made(joined.size());
  PieceParts parts(plan, extent);
  SmallVector<Value> memories; // of a free extent, of each of the joined
  auto makeMemories = [&](auto likeOf) {
    int64_t number = flow::nextFilled(plan.collective->getParentOfType<ModuleOp>());
    for (auto [i, value] : llvm::enumerate(joined))
      memories.push_back(parts.makeMemory(builder, likeOf(i), plan.feeds ? *plan.dimOf(value) : plan.dim,
                                          plan.feeds && plan.byMember, number++));
  };
  if (plan.isFree() && plan.fillsInPlace())
    makeMemories([&](size_t i) { return joined[i]; });
  for (const Piece &piece : all) {
    IRMapping mapping;
    if (plan.feeds)
      mapping.map(
          plan.collective.getResult(),
          parts.move(builder, parts.slice(builder, plan.collective.getOperand(), plan.dim, piece, false), piece));
    for (const PieceWork &each : plan.works)
      parts.work(builder, each, piece, mapping);
    if (!plan.feeds)
      mapping.map(plan.collective.getResult(),
                  parts.move(builder, mapping.lookup(plan.collective.getOperand()), piece));
    for (auto [value, own] : llvm::zip_equal(joined, made))
      own.push_back(mapping.lookup(value));
  }
  if (plan.isFree() && memories.empty())
    makeMemories([&](size_t i) { return made[i].front(); });
  SmallVector<Value> whole;
  for (auto [i, value] : llvm::enumerate(joined)) {
    int64_t at = plan.feeds ? *plan.dimOf(value) : plan.dim;
    bool isOfMembers = plan.feeds && plan.byMember;
    whole.push_back(plan.isFree() ? parts.fill(builder, memories[i], made[i], all, at, value, isOfMembers)
                                  : parts.join(builder, made[i], at, value, isOfMembers));
  }
  return whole;
}

// With what the works begin with, so that one kernel fills and sums.
SmallVector<Value> PieceBuilder::buildWhole(OpBuilder &builder) const {
  IRMapping mapping;
  auto cloneFill = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (op && !mapping.contains(value) && isa<linalg::FillOp, tensor::EmptyOp>(op))
      builder.clone(*op, mapping);
  };
  if (plan.feeds)
    builder.clone(*plan.collective, mapping);
  for (const PieceWork &each : plan.works) {
    for (Value init : each.op.getDpsInits()) {
      if (auto fill = init.getDefiningOp<linalg::FillOp>())
        cloneFill(fill.getDpsInits()[0]);
      cloneFill(init);
    }
    builder.clone(*each.op, mapping);
  }
  if (!plan.feeds)
    builder.clone(*plan.collective, mapping);
  return llvm::map_to_vector(plan.findJoined(), [&](Value joined) { return mapping.lookup(joined); });
}

static scf::IfOp makeBranch(OpBuilder &builder, Location loc, ArrayRef<Value> like, Value condition) {
  SmallVector<Type> types = llvm::map_to_vector(like, [](Value joined) { return joined.getType(); });
  return scf::IfOp::create(builder, loc, types, condition, /*addThenBlock=*/true, /*addElseBlock=*/true);
}

// Where parts are copied, one piece would be, too: so few positions are moved whole.
SmallVector<Value> PieceBuilder::buildFree(OpBuilder &builder, unsigned count, Value positions) {
  if (!plan.copiesParts())
    return buildPieces(builder, cutFree(builder, count, positions));
  Location loc = plan.collective.getLoc();
  Value size = getValueOrCreateConstantIndexOp(builder, loc, findExtent(builder));
  Value least = arith::ConstantIndexOp::create(builder, loc, 2);
  if (positions)
    least = arith::MulIOp::create(builder, loc, least, positions);
  Value isSmall = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, size, least);
  auto branch = makeBranch(builder, loc, plan.findJoined(), isSmall);
  OpBuilder whole = OpBuilder::atBlockEnd(branch.thenBlock()), cut = OpBuilder::atBlockEnd(branch.elseBlock());
  scf::YieldOp::create(whole, loc, buildWhole(whole));
  scf::YieldOp::create(cut, loc, buildPieces(cut, cutFree(cut, count, positions)));
  return branch.getResults();
}

SmallVector<Value> PieceBuilder::build(OpBuilder &builder, unsigned count, Value positions) {
  if (count == 1)
    return buildWhole(builder);
  if (plan.isFree())
    return buildFree(builder, count, positions);
  return count == contract::kAround ? buildAround(plan, builder) : buildPieces(builder, cutExtent(builder, count));
}

SmallVector<Value> PieceBuilder::buildAmong(OpBuilder &builder, ArrayRef<unsigned> counts, Value chosen,
                                            Value positions) {
  if (counts.size() == 1)
    return build(builder, counts.front(), positions);
  Location loc = plan.collective.getLoc();
  Value count = arith::ConstantIndexOp::create(builder, loc, counts.front());
  Value isThis = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, chosen, count);
  auto branch = makeBranch(builder, loc, plan.findJoined(), isThis);
  OpBuilder own = OpBuilder::atBlockEnd(branch.thenBlock()), others = OpBuilder::atBlockEnd(branch.elseBlock());
  scf::YieldOp::create(own, loc, build(own, counts.front(), positions));
  scf::YieldOp::create(others, loc, buildAmong(others, counts.drop_front(), chosen, positions));
  return branch.getResults();
}
