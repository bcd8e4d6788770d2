// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What pieces compute and move: declared in PiecePlan.h.
#include "compiler/Dialect/Flow/Analysis/WorkEstimate.h"
#include "compiler/Stages/Ranks/Pieces/PiecePlan.h"
#include "compiler/Stages/Ranks/Pieces/PieceRing.h"
#include "compiler/Stages/Ranks/Pieces/PieceSlices.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::pieces;
using ::heddle::contract::OverlapAccount;

// A dispatch that writes each element once, and reads as many.
static OverlapAccount::Work copyOf(Value value, flow::SizeEstimates &sizes) {
  uint64_t elements = 1;
  for (int64_t size : sizes.shape(value))
    elements *= size;
  return {elements, 2 * sizes.bytes(value)};
}

static void describeWorks(const PiecePlan &plan, flow::SizeEstimates &sizes, OverlapAccount &overlap) {
  llvm::DenseMap<Value, size_t> dispatches; // of values that a work makes
  for (const PieceWork &each : plan.works) {
    linalg::LinalgOp work = each.op;
    // What is element by element is fused with what makes its operand.
    std::optional<size_t> fused;
    for (Value operand : work->getOperands())
      if (auto made = dispatches.find(operand); made != dispatches.end() && work.getNumReductionLoops() == 0)
        fused = made->second;
    if (!fused) {
      fused = overlap.works.size();
      overlap.works.emplace_back();
    }
    OverlapAccount::Work &into = overlap.works[*fused];
    into.flops += flow::estimateFlops(work, &sizes);
    for (OpOperand &operand : work->getOpOperands()) {
      if (auto made = dispatches.find(operand.get()); made != dispatches.end()) {
        if (made->second != *fused) { // of another dispatch, which writes it
          into.bytes += sizes.bytes(operand.get());
          if (operand.get().hasOneUse())
            overlap.works[made->second].bytes += sizes.bytes(operand.get());
        }
        continue;
      }
      if (auto fill = operand.get().getDefiningOp<linalg::FillOp>()) {
        into.flops += flow::estimateFlops(fill, &sizes);
        continue;
      }
      if (operand.get().getDefiningOp<tensor::EmptyOp>() || !isa<RankedTensorType>(operand.get().getType()))
        continue;
      bool isCut = findDim(work.getMatchingIndexingMap(&operand), each.loop).has_value();
      (isCut ? into.bytes : into.sharedBytes) += sizes.bytes(operand.get());
      if (isCut && plan.byMember && !plan.dimOf(operand.get()))
        overlap.slices.push_back({0, 2 * sizes.bytes(operand.get())});
    }
    for (Value result : work->getResults()) {
      dispatches[result] = *fused;
      if (!result.hasOneUse() || !plan.dimOf(result) || !plan.isWork(*result.user_begin()))
        into.bytes += sizes.bytes(result);
    }
  }
}

OverlapAccount pieces::describePieces(const PiecePlan &plan, flow::SizeEstimates &sizes) {
  OverlapAccount overlap;
  overlap.kind = plan.collective.getKind();
  overlap.feeds = plan.feeds;
  overlap.members = plan.members;
  overlap.extent = plan.extent;
  if (plan.isFree()) {
    Value between = plan.cutValues.begin()->first;
    overlap.extent = std::max<int64_t>(1, sizes.shape(between)[plan.dim] / (plan.byMember ? plan.members : 1));
  }
  overlap.movedBytes = sizes.bytes(isa<flow::ReduceScatterOp>(plan.collective) ? plan.collective.getResult()
                                                                               : plan.collective.getOperand());
  describeWorks(plan, sizes, overlap);
  if (plan.feeds ? plan.byMember || plan.copiesParts() : plan.copiesParts() && !plan.byMember)
    for (Value joined : plan.findJoined())
      overlap.joins.push_back(copyOf(joined, sizes));
  if (!plan.feeds && canGoAround(plan)) { // a sum of what all members sent, from a fill of zeros
    Value own = plan.collective.getResult();
    uint64_t elements = copyOf(own, sizes).flops, parts = static_cast<uint64_t>(plan.members);
    overlap.sums.push_back({(parts + 1) * elements, (parts + 1) * sizes.bytes(own)});
  }
  // A collective that is not along the outermost dimension has a transpose beside it.
  if (Value between = plan.cutValues.begin()->first; plan.ownDim() > plan.dim)
    overlap.works.push_back(copyOf(between, sizes));
  return overlap;
}
