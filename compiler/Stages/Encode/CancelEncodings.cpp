// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Encode/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_CANCELENCODINGS
#include "compiler/Stages/Encode/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct CancelEncodings : mlir::heddle::impl::CancelEncodingsBase<CancelEncodings> {
  void runOnOperation() override {
    SmallVector<Operation *> changes;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<encoding::SetOp, encoding::UnsetOp>(op))
        changes.push_back(op);
    });
    // Definitions first, so that chains of any length fold.
    for (Operation *op : changes)
      if (Value value = simplify(op))
        op->getResult(0).replaceAllUsesWith(value);
    for (Operation *op : llvm::reverse(changes))
      if (op->use_empty())
        op->erase();
  }

  // The value to take in place of the op's; null if it stays.
  static Value simplify(Operation *op) {
    Value source = op->getOperand(0);
    Operation *before = source.getDefiningOp();
    if (isa_and_present<encoding::SetOp, encoding::UnsetOp>(before) &&
        before->getOperand(0).getType() == op->getResult(0).getType())
      return before->getOperand(0);
    return {};
  }
};

} // namespace
