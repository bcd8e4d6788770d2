// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Transforms/Extents.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Ranks/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_KEEPSHAPES
#include "compiler/Stages/Ranks/Passes.h.inc"
} // namespace mlir::heddle

// As flow::traceExtent, and through loops that are known to keep sizes, and branches whose sides agree.
static flow::Extent trace(Value tensor, int64_t dim) {
  flow::Extent extent = flow::traceExtent(tensor, dim);
  if (!extent.value || extent.dim < 0)
    return extent;
  if (auto argument = dyn_cast<BlockArgument>(extent.value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    bool isKept = loop && loop->hasAttr(kKeepsShapesAttr) && argument != loop.getInductionVar();
    return isKept ? trace(loop.getTiedLoopInit(argument)->get(), extent.dim) : extent;
  }
  auto result = cast<OpResult>(extent.value);
  if (auto loop = dyn_cast<scf::ForOp>(result.getOwner()); loop && loop->hasAttr(kKeepsShapesAttr))
    return trace(loop.getInitArgs()[result.getResultNumber()], extent.dim);
  if (auto branch = dyn_cast<scf::IfOp>(result.getOwner())) {
    flow::Extent then = trace(branch.thenYield().getOperand(result.getResultNumber()), extent.dim);
    if (then == trace(branch.elseYield().getOperand(result.getResultNumber()), extent.dim))
      return then;
  }
  return extent;
}

static bool keepsShapes(scf::ForOp loop) {
  for (auto [init, argument, yielded] :
       llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getYieldedValues())) {
    auto type = dyn_cast<RankedTensorType>(init.getType());
    for (int64_t dim = 0; type && dim < type.getRank(); ++dim) {
      if (!type.isDynamicDim(dim))
        continue;
      flow::Extent extent = trace(yielded, dim);
      if (!(extent == flow::Extent{{}, argument, dim}) && !(extent == trace(init, dim)))
        return false;
    }
  }
  return true;
}

namespace {

struct KeepShapes : mlir::heddle::impl::KeepShapesBase<KeepShapes> {
  void runOnOperation() override {
    // What is known of a loop helps those around it and in it.
    for (bool changed = true; changed;) {
      changed = false;
      getOperation().walk([&](scf::ForOp loop) {
        WalkResult found = loop.walk([](flow::CollectiveOpInterface) { return WalkResult::interrupt(); });
        if (!found.wasInterrupted() || loop->hasAttr(kKeepsShapesAttr) || !keepsShapes(loop))
          return;
        loop->setAttr(kKeepsShapesAttr, UnitAttr::get(&getContext()));
        changed = true;
      });
    }
  }
};

} // namespace
