// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Simplify/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_DECOMPOSESOFTMAX
#include "compiler/Stages/Simplify/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct DecomposeSoftmax : mlir::heddle::impl::DecomposeSoftmaxBase<DecomposeSoftmax> {
  void runOnOperation() override {
    WalkResult walk = getOperation().walk([](linalg::SoftmaxOp op) {
      OpBuilder builder(op);
      FailureOr<SmallVector<Value>> values = op.decomposeOperation(builder);
      if (failed(values))
        return WalkResult(op.emitError() << "has no decomposition for its type " << op.getResultTypes().front());
      op->replaceAllUsesWith(*values);
      op->erase();
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
