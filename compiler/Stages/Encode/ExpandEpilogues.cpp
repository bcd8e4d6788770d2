// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Rewrite.h"
#include "compiler/Stages/Encode/Passes.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_EXPANDEPILOGUES
#include "compiler/Stages/Encode/Passes.h.inc"
} // namespace mlir::heddle

// Whether the operand is a reduction's result that only this op reads, seen through a collapse_shape.
static bool isCollapsedReduction(OpOperand *operand) {
  auto collapse = operand->get().getDefiningOp<tensor::CollapseShapeOp>();
  if (!collapse || !collapse->hasOneUse() || !collapse.getSrc().hasOneUse())
    return false;
  auto producer = collapse.getSrc().getDefiningOp<linalg::LinalgOp>();
  return producer && producer.getNumReductionLoops() > 0;
}

namespace {

struct ExpandEpilogues : mlir::heddle::impl::ExpandEpiloguesBase<ExpandEpilogues> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, isCollapsedReduction);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, &getContext());
    tensor::populateFoldTensorEmptyPatterns(patterns);
    if (failed(rewriteGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
