// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Ranks/Passes.h"
#include "compiler/Stages/Ranks/TraceThrough.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_KEEPSHAPES
#include "compiler/Stages/Ranks/Passes.h.inc"
} // namespace mlir::heddle

static bool keepsShapes(scf::ForOp loop) {
  for (auto [init, argument, yielded] :
       llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getYieldedValues())) {
    auto type = dyn_cast<RankedTensorType>(init.getType());
    for (int64_t dim = 0; type && dim < type.getRank(); ++dim) {
      if (!type.isDynamicDim(dim))
        continue;
      flow::Extent extent = traceThrough(yielded, dim);
      if (!(extent == flow::Extent{{}, argument, dim}) && !(extent == traceThrough(init, dim)))
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
