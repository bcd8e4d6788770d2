// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Streams/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_HOISTINVARIANTS
#include "compiler/Stages/Streams/Passes.h.inc"
} // namespace mlir::heddle

// What a loop in the loop fills is memory of one iteration.
static bool mayLeave(Operation *op) { return isPure(op) && !isa<tensor::EmptyOp>(op) && op->getNumRegions() == 0; }

namespace {

struct HoistInvariants : mlir::heddle::impl::HoistInvariantsBase<HoistInvariants> {
  void runOnOperation() override {
    // From the innermost out, so that what leaves one loop may leave the next.
    getOperation().walk([](scf::ForOp loop) {
      if (!loop->hasAttr(kStreamsAttr))
        return;
      moveLoopInvariantCode(
          &loop.getRegion(), [&](Value value, Region *) { return loop.isDefinedOutsideOfLoop(value); },
          [](Operation *op, Region *) { return mayLeave(op); },
          [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
    });
  }
};

} // namespace
