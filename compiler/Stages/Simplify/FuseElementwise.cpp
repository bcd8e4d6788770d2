// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

// Fusing copies both bodies: without a limit a chain of n ops costs n² copies. With a small limit first, an op is
// copied a few times alone and then with its neighbours.
static constexpr size_t kMaximumBodies[] = {32, 512};
static constexpr unsigned kMaximumOperands = 64;

static bool staysSmall(linalg::LinalgOp producer, linalg::LinalgOp consumer, size_t maximumBody) {
  return producer.getBlock()->getOperations().size() + consumer.getBlock()->getOperations().size() <= maximumBody &&
         producer->getNumOperands() + consumer->getNumOperands() <= kMaximumOperands;
}

static bool reduces(Value value) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  return op && op.getNumReductionLoops() > 0;
}

// An elementwise op that makes smaller elements of a reduction's: an epilogue that saves memory.
static bool narrowsReduction(linalg::LinalgOp op) {
  auto bits = [](Value value) { return getElementTypeOrSelf(value).getIntOrFloatBitWidth(); };
  return op.getNumReductionLoops() == 0 && llvm::any_of(op.getDpsInputs(), [&](Value input) {
           return isa<RankedTensorType>(input.getType()) && reduces(input) && bits(input) > bits(op->getResult(0));
         });
}

// Only one of two reductions can have the consumer as its epilogue; the other one should give its small elements.
static bool consumerHasOtherReduction(linalg::LinalgOp consumer, OpOperand *operand) {
  return llvm::any_of(consumer.getDpsInputOperands(), [&](OpOperand *other) {
    auto op = other->get().getDefiningOp<linalg::LinalgOp>();
    return other != operand && op && op->hasOneUse() && (reduces(other->get()) || narrowsReduction(op));
  });
}

// Whether reading the producer through `operand` computes each of its elements once.
static bool computesOnce(OpOperand *operand, size_t maximumBody) {
  auto consumer = dyn_cast<linalg::LinalgOp>(operand->getOwner());
  auto producer = operand->get().getDefiningOp<linalg::LinalgOp>();
  if (!consumer || !producer || !operand->get().hasOneUse())
    return false;
  if (!staysSmall(producer, consumer, maximumBody) || linalg::isaContractionOpInterface(consumer) ||
      consumer.getNumReductionLoops() > 1)
    return false;
  if (narrowsReduction(producer) && consumerHasOtherReduction(consumer, operand))
    return false;
  AffineMap map = consumer.getMatchingIndexingMap(operand);
  // A constant is computed at compile time, once.
  return map.isPermutation() && !evaluation::isConstantExpression(operand->get());
}

namespace {

struct FuseElementwise : heddle::impl::FuseElementwiseBase<FuseElementwise> {
  void runOnOperation() override {
    for (size_t maximumBody : kMaximumBodies) {
      RewritePatternSet patterns(&getContext());
      linalg::populateElementwiseOpsFusionPatterns(
          patterns, [&](OpOperand *operand) { return computesOnce(operand, maximumBody); });
      linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
      if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
        return signalPassFailure();
    }
  }
};

} // namespace
