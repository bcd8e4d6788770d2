// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Codegen/Passes.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_GENERALIZEOPS
#include "compiler/Stages/Codegen/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct GeneralizeOps : heddle::impl::GeneralizeOpsBase<GeneralizeOps> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (!isa<linalg::GenericOp>(op))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops) {
      rewriter.setInsertionPoint(op);
      if (failed(linalg::generalizeNamedOp(rewriter, op))) {
        op->emitError("the CPU code generator does not support this structured op");
        return signalPassFailure();
      }
    }
  }
};

} // namespace
