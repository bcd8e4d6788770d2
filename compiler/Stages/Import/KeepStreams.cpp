// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Import/Passes.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_KEEPSTREAMS
#include "compiler/Stages/Import/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct KeepStreams : mlir::heddle::impl::KeepStreamsBase<KeepStreams> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> moves;
    getOperation().walk([&](linalg::LinalgOp op) {
      Block &body = op->getRegion(0).front();
      if (op->hasAttr(kStreamAttr) && op.hasPureTensorSemantics() && llvm::hasSingleElement(body))
        moves.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : moves) {
      rewriter.setInsertionPoint(op);
      auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
      Attribute mark = op->getAttr(kStreamAttr), affinity = op->getAttr(kAffinityAttr);
      if (!generic) {
        FailureOr<linalg::GenericOp> made = linalg::generalizeNamedOp(rewriter, op);
        if (failed(made))
          continue; // one that does not fold
        generic = *made;
        generic->setAttr(kStreamAttr, mark);
        if (affinity)
          generic->setAttr(kAffinityAttr, affinity);
      }
      Operation *yield = generic.getBody()->getTerminator();
      rewriter.setInsertionPoint(yield);
      for (OpOperand &value : yield->getOpOperands())
        value.set(flow::StreamedOp::create(rewriter, yield->getLoc(), value.get().getType(), value.get()));
    }
  }
};

} // namespace
