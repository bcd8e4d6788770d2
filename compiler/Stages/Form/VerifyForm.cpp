// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Form/Fusion.h"
#include "compiler/Stages/Form/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_VERIFYFORM
#include "compiler/Stages/Form/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct VerifyForm : heddle::impl::VerifyFormBase<VerifyForm> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      WalkResult walk = func.walk([](Operation *op) {
        // An empty tensor that no region took is memory that a loop fills.
        if (isa<tensor::EmptyOp>(op) || (!fusion::isCompute(op) && !isa<flow::RegionOp>(op)))
          return WalkResult::advance();
        op->emitError("tensor compute outside an executable after dispatch formation");
        return WalkResult::interrupt();
      });
      if (walk.wasInterrupted())
        return signalPassFailure();
    }
  }
};

} // namespace
