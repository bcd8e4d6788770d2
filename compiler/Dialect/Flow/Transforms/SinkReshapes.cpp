// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Transforms/Passes.h"
#include "compiler/Dialect/Rewrite.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_SINKRESHAPES
#include "compiler/Dialect/Flow/Transforms/Passes.h.inc"
} // namespace mlir::heddle

// MLIR 22.1 loses the padding of an expanded scalar.
static bool canSink(OpOperand *operand) {
  auto expand = operand->get().getDefiningOp<tensor::ExpandShapeOp>();
  return expand && (expand.getSrcType().getRank() > 0 || !isa<tensor::PadOp>(operand->getOwner()));
}

namespace {

struct SinkReshapes : mlir::heddle::impl::SinkReshapesBase<SinkReshapes> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    // Only downwards (an expand_shape below its consumer): both directions together would not end.
    linalg::populateFoldReshapeOpsByCollapsingPatterns(patterns, canSink);
    tensor::populateReassociativeReshapeFoldingPatterns(patterns);
    tensor::populateFoldTensorEmptyPatterns(patterns);
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, &getContext());
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, &getContext());
    tensor::DimOp::getCanonicalizationPatterns(patterns, &getContext());
    linalg::FillOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(rewriteGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
