#include "compiler/Evaluation/Evaluator.h"
#include "compiler/Stages/Simplify/Passes.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_FUSEELEMENTWISE
#include "compiler/Stages/Simplify/Passes.h.inc"
} // namespace mlir::heddle

// Whether reading the producer through `operand` computes each of its elements once.
static bool computesOnce(OpOperand *operand) {
  auto consumer = dyn_cast<linalg::LinalgOp>(operand->getOwner());
  auto producer = operand->get().getDefiningOp<linalg::LinalgOp>();
  if (!consumer || !producer || !operand->get().hasOneUse())
    return false;
  if (linalg::isaContractionOpInterface(consumer) || consumer.getNumReductionLoops() > 1)
    return false;
  AffineMap map = consumer.getMatchingIndexingMap(operand);
  // A constant is computed at compile time, once.
  return map.isPermutation() && !evaluation::isConstantExpression(operand->get());
}

namespace {

struct FuseElementwise : heddle::impl::FuseElementwiseBase<FuseElementwise> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(patterns, computesOnce);
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
