// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What takes the place of a collective and its works: pieces of them, or one of several ways that the load chooses.
#include "compiler/Dialect/Flow/Transforms/Updates.h"
#include "compiler/Stages/Ranks/PieceCut.h"
#include "compiler/Stages/Ranks/PieceSlices.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::pieces;
namespace contract = ::heddle::contract;

// The formula of pieceBegin().
SmallVector<PieceCut::Piece> PieceCut::cutExtent(OpBuilder &builder, unsigned pieces) {
  SmallVector<Piece> all;
  freeExtent = builder.getIndexAttr(extent);
  for (unsigned i = 0; i < pieces; ++i) {
    int64_t begin = contract::pieceBegin(extent, i, pieces);
    int64_t size = contract::pieceBegin(extent, i + 1, pieces) - begin;
    if (size)
      all.push_back({builder.getIndexAttr(begin), builder.getIndexAttr(size)});
  }
  return all;
}

// Of the side on which a rank has what is cut, or both do.
OpFoldResult PieceCut::findExtent(OpBuilder &builder) {
  bool isOfResult = byMember && !feeds;
  return getMixedValues((isOfResult ? collective.getResultType() : collective.getOperandType()).getShape(),
                        isOfResult ? collective.getResultDims() : collective.getOperandDims(),
                        builder.getContext())[dim];
}

// The same of the extent that the call knows: in fewer pieces where there are fewer positions. The end of a part is
// where the next one begins, so that they are seen to fill all (flow::isFill).
SmallVector<PieceCut::Piece> PieceCut::cutFree(OpBuilder &builder, unsigned pieces, Value positions) {
  SmallVector<Piece> all;
  Location loc = collective.getLoc();
  freeExtent = findExtent(builder);
  auto number = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(builder, loc, value); };
  Value size = getValueOrCreateConstantIndexOp(builder, loc, freeExtent), begin = number(0);
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

// What asks for the size of a result that will be gone has the value.
void PieceCut::replaceSizes() {
  SmallVector<OpFoldResult> sizes =
      getMixedValues(collective.getResultType().getShape(), collective.getResultDims(), collective.getContext());
  for (Operation *user : llvm::make_early_inc_range(collective.getResult().getUsers()))
    if (auto size = dyn_cast<tensor::DimOp>(user); size && feeds) {
      OpBuilder before(size);
      size.replaceAllUsesWith(getValueOrCreateConstantIndexOp(before, size.getLoc(), sizes[*size.getConstantIndex()]));
      size.erase();
    }
}

OpBuilder PieceCut::builderBehind() {
  replaceSizes();
  Operation *last = works.back().op;
  for (Operation *op : behind) {
    op->moveAfter(last);
    last = op;
  }
  return OpBuilder(feeds ? works.back().op.getOperation() : collective.getOperation());
}

SmallVector<Value> PieceCut::buildPieces(OpBuilder &builder, ArrayRef<Piece> all) {
  SmallVector<Value> joined = findJoined();
  SmallVector<SmallVector<Value>> parts(joined.size());
  SmallVector<Value> memories; // of a free extent, of each of the joined
  auto makeMemories = [&](auto likeOf) {
    int64_t number = flow::nextFilled(collective->getParentOfType<ModuleOp>());
    for (auto [i, value] : llvm::enumerate(joined))
      memories.push_back(makeMemory(builder, likeOf(i), feeds ? *dimOf(value) : dim, feeds && byMember, number++));
  };
  if (isFree() && fillsInPlace())
    makeMemories([&](size_t i) { return joined[i]; });
  for (const Piece &piece : all) {
    IRMapping mapping;
    if (feeds)
      mapping.map(collective.getResult(),
                  move(builder, slice(builder, collective.getOperand(), dim, piece, false), piece));
    for (const Work &each : works)
      work(builder, each, piece, mapping);
    if (!feeds)
      mapping.map(collective.getResult(), move(builder, mapping.lookup(collective.getOperand()), piece));
    for (auto [value, own] : llvm::zip_equal(joined, parts))
      own.push_back(mapping.lookup(value));
  }
  if (isFree() && memories.empty())
    makeMemories([&](size_t i) { return parts[i].front(); });
  SmallVector<Value> made;
  for (auto [i, value] : llvm::enumerate(joined)) {
    int64_t at = feeds ? *dimOf(value) : dim;
    bool isOfMembers = feeds && byMember;
    made.push_back(isFree() ? fill(builder, memories[i], parts[i], all, at, value, isOfMembers)
                            : join(builder, parts[i], at, value, isOfMembers));
  }
  return made;
}

// With what the works begin with, so that one kernel fills and sums.
SmallVector<Value> PieceCut::buildWhole(OpBuilder &builder) const {
  IRMapping mapping;
  auto cloneFill = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (op && !mapping.contains(value) && isa<linalg::FillOp, tensor::EmptyOp>(op))
      builder.clone(*op, mapping);
  };
  if (feeds)
    builder.clone(*collective, mapping);
  for (const Work &each : works) {
    for (Value init : each.op.getDpsInits()) {
      if (auto fill = init.getDefiningOp<linalg::FillOp>())
        cloneFill(fill.getDpsInits()[0]);
      cloneFill(init);
    }
    builder.clone(*each.op, mapping);
  }
  if (!feeds)
    builder.clone(*collective, mapping);
  return llvm::map_to_vector(findJoined(), [&](Value joined) { return mapping.lookup(joined); });
}

static scf::IfOp makeBranch(OpBuilder &builder, Location loc, ArrayRef<Value> like, Value condition) {
  SmallVector<Type> types = llvm::map_to_vector(like, [](Value joined) { return joined.getType(); });
  return scf::IfOp::create(builder, loc, types, condition, /*addThenBlock=*/true, /*addElseBlock=*/true);
}

// Where parts are copied, one piece would be, too: so few positions are moved whole.
SmallVector<Value> PieceCut::buildFree(OpBuilder &builder, unsigned count, Value positions) {
  if (!copiesParts())
    return buildPieces(builder, cutFree(builder, count, positions));
  Location loc = collective.getLoc();
  Value size = getValueOrCreateConstantIndexOp(builder, loc, findExtent(builder));
  Value least = arith::ConstantIndexOp::create(builder, loc, 2);
  if (positions)
    least = arith::MulIOp::create(builder, loc, least, positions);
  Value isSmall = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, size, least);
  auto branch = makeBranch(builder, loc, findJoined(), isSmall);
  OpBuilder whole = OpBuilder::atBlockEnd(branch.thenBlock()), cut = OpBuilder::atBlockEnd(branch.elseBlock());
  scf::YieldOp::create(whole, loc, buildWhole(whole));
  scf::YieldOp::create(cut, loc, buildPieces(cut, cutFree(cut, count, positions)));
  return branch.getResults();
}

SmallVector<Value> PieceCut::build(OpBuilder &builder, unsigned count, Value positions) {
  if (count == 1)
    return buildWhole(builder);
  if (isFree())
    return buildFree(builder, count, positions);
  return count == contract::kAround ? buildAround(builder) : buildPieces(builder, cutExtent(builder, count));
}

SmallVector<Value> PieceCut::buildAmong(OpBuilder &builder, ArrayRef<unsigned> counts, Value chosen, Value positions) {
  if (counts.size() == 1)
    return build(builder, counts.front(), positions);
  Location loc = collective.getLoc();
  Value count = arith::ConstantIndexOp::create(builder, loc, counts.front());
  Value isThis = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, chosen, count);
  auto branch = makeBranch(builder, loc, findJoined(), isThis);
  OpBuilder own = OpBuilder::atBlockEnd(branch.thenBlock()), others = OpBuilder::atBlockEnd(branch.elseBlock());
  scf::YieldOp::create(own, loc, build(own, counts.front(), positions));
  scf::YieldOp::create(others, loc, buildAmong(others, counts.drop_front(), chosen, positions));
  return branch.getResults();
}

void PieceCut::replaceBy(ArrayRef<Value> made) {
  for (auto [joined, value] : llvm::zip_equal(findJoined(), made))
    joined.replaceAllUsesWith(value);
  if (!feeds)
    collective->erase();
  for (const Work &each : llvm::reverse(works))
    each.op->erase();
  if (feeds)
    collective->erase();
}

void PieceCut::apply(unsigned pieces, int64_t positions) {
  OpBuilder builder = builderBehind();
  Value each;
  if (positions != 1)
    each = arith::ConstantIndexOp::create(builder, collective.getLoc(), positions);
  replaceBy(build(builder, pieces, each));
}

void PieceCut::applyAround() {
  OpBuilder builder = builderBehind();
  replaceBy(buildAround(builder));
}

void PieceCut::applyAmong(ArrayRef<unsigned> counts, Value chosen, Value positions) {
  OpBuilder builder = builderBehind();
  replaceBy(buildAmong(builder, counts, chosen, positions));
}
