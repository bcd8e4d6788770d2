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

static bool keepsShapes(scf::ForOp loop, ExtentTracer &tracer) {
  for (auto [number, init] : llvm::enumerate(loop.getInitArgs())) {
    auto type = dyn_cast<RankedTensorType>(init.getType());
    for (int64_t dim = 0; type && dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim) && !tracer.isKept(loop, number, dim))
        return false;
  }
  return true;
}

namespace {

struct KeepShapes : mlir::heddle::impl::KeepShapesBase<KeepShapes> {
  void runOnOperation() override {
    ExtentTracer tracer;
    getOperation().walk([&](scf::ForOp loop) {
      WalkResult found = loop.walk([](flow::CollectiveOpInterface) { return WalkResult::interrupt(); });
      if (found.wasInterrupted() && !loop->hasAttr(kKeepsShapesAttr) && keepsShapes(loop, tracer))
        loop->setAttr(kKeepsShapesAttr, UnitAttr::get(&getContext()));
    });
  }
};

} // namespace
