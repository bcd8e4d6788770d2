// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rewriting until no pattern matches, without a limit that a large model reaches and without a failure in silence.
//
// The greedy driver gives up after ten iterations over the IR and says nothing. Patterns that take another iteration
// for each op of a chain then fail on long chains. Here there may be as many iterations as ops, and a thousand changes
// for each op: patterns that end stay far below, those that do not are an error.
#ifndef HEDDLE_COMPILER_DIALECT_REWRITE_H
#define HEDDLE_COMPILER_DIALECT_REWRITE_H

#include "mlir/IR/Operation.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::heddle {

// For ops with structured control flow, whose regions are one block each: looking for branches to simplify finds none,
// and took half the time of rewriting.
inline GreedyRewriteConfig ofStructured() {
  return GreedyRewriteConfig().setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
}

// Counts what a rewriter does.
struct ChangeCounter : RewriterBase::Listener {
  void notifyOperationInserted(Operation *, OpBuilder::InsertPoint) override { ++changes; }
  void notifyOperationModified(Operation *) override { ++changes; }
  void notifyOperationErased(Operation *) override { ++changes; }

  int64_t changes = 0;
};

// Applies the patterns to all that is in `op`, of structured control flow. Fails, with an error at `op`, where
// rewriting does not end.
inline LogicalResult rewriteGreedily(Operation *op, const FrozenRewritePatternSet &patterns) {
  constexpr int64_t kIterations = 10, kChangesOfAnOp = 1000;
  int64_t ops = 100; // at least
  op->walk([&](Operation *) { ++ops; });
  ChangeCounter counter;
  GreedyRewriteConfig config = ofStructured();
  config.setMaxIterations(kIterations).setMaxNumRewrites(kChangesOfAnOp / kIterations * ops).setListener(&counter);
  for (int64_t done = 0; done < ops && counter.changes < kChangesOfAnOp * ops; done += kIterations)
    if (succeeded(applyPatternsGreedily(op, patterns, config)))
      return success();
  return op->emitError("rewriting does not end: a bug of Heddle; please report it with what 'heddle reduce' leaves of "
                       "the model");
}

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_DIALECT_REWRITE_H
