// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/Pieces/PieceCut.h"

#include "compiler/Stages/Ranks/Pieces/PieceBuild.h"
#include "compiler/Stages/Ranks/Pieces/PieceRing.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::pieces;

PieceCut::PieceCut(flow::CollectiveOpInterface collective, int64_t dim) : plan(planPieces(collective, dim)) {}

OverlapAccount PieceCut::describe(flow::SizeEstimates &sizes) const { return describePieces(plan, sizes); }

bool PieceCut::canGoAround() const { return pieces::canGoAround(plan); }

// What asks for the size of a result that will be gone has the value.
void PieceCut::replaceSizes() {
  SmallVector<OpFoldResult> sizes = getMixedValues(plan.collective.getResultType().getShape(),
                                                   plan.collective.getResultDims(), plan.collective.getContext());
  for (Operation *user : llvm::make_early_inc_range(plan.collective.getResult().getUsers()))
    if (auto size = dyn_cast<tensor::DimOp>(user); size && plan.feeds) {
      OpBuilder before(size);
      size.replaceAllUsesWith(getValueOrCreateConstantIndexOp(before, size.getLoc(), sizes[*size.getConstantIndex()]));
      size.erase();
    }
}

OpBuilder PieceCut::builderBehind() {
  replaceSizes();
  Operation *last = plan.works.back().op;
  for (Operation *op : plan.behind) {
    op->moveAfter(last);
    last = op;
  }
  return OpBuilder(plan.feeds ? plan.works.back().op.getOperation() : plan.collective.getOperation());
}

void PieceCut::replaceBy(ArrayRef<Value> made) {
  for (auto [joined, value] : llvm::zip_equal(plan.findJoined(), made))
    joined.replaceAllUsesWith(value);
  if (!plan.feeds)
    plan.collective->erase();
  for (const PieceWork &each : llvm::reverse(plan.works))
    each.op->erase();
  if (plan.feeds)
    plan.collective->erase();
}

void PieceCut::apply(unsigned pieces, int64_t positions) {
  OpBuilder builder = builderBehind();
  Value each;
  if (positions != 1)
    each = arith::ConstantIndexOp::create(builder, plan.collective.getLoc(), positions);
  replaceBy(PieceBuilder(plan).build(builder, pieces, each));
}

void PieceCut::applyAround() {
  OpBuilder builder = builderBehind();
  replaceBy(buildAround(plan, builder));
}

void PieceCut::applyAmong(ArrayRef<unsigned> counts, Value chosen, Value positions) {
  OpBuilder builder = builderBehind();
  replaceBy(PieceBuilder(plan).buildAmong(builder, counts, chosen, positions));
}

std::optional<PieceCut> mlir::heddle::findCut(flow::CollectiveOpInterface collective) {
  if (!isa<flow::AllGatherOp, flow::AllReduceOp, flow::ReduceScatterOp>(collective))
    return std::nullopt;
  ArrayRef<int64_t> shape =
      (isa<flow::AllGatherOp>(collective) ? collective.getResultType() : collective.getOperandType()).getShape();
  auto dim = llvm::find_if(shape, [](int64_t size) { return size != 1; }) - shape.begin();
  if (dim == static_cast<int64_t>(shape.size()))
    return std::nullopt;
  PieceCut cut(collective, dim);
  return cut;
}
