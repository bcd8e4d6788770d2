// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Streams/Passes.h"

#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_HOISTINVARIANTS
#include "compiler/Stages/Streams/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct HoistInvariants : heddle::impl::HoistInvariantsBase<HoistInvariants> {
  void runOnOperation() override {
    // From the innermost out, so that what leaves one loop may leave the next.
    getOperation().walk([](scf::ForOp loop) {
      if (loop->hasAttr(kStreamsAttr))
        moveLoopInvariantCode(loop);
    });
  }
};

} // namespace
