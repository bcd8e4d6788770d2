// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that only move elements: transposes, and such that walk dimensions backwards or in steps (the weights of a
// transposed convolution).
#ifndef HEDDLE_COMPILER_STAGES_FORM_MOVEMENT_H
#define HEDDLE_COMPILER_STAGES_FORM_MOVEMENT_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace mlir::heddle {

// Element d… of the result is that of `source` at read(d…), each index of which has one dimension at most. Each
// dimension of the result is in one index.
struct Movement {
  Value source;
  RankedTensorType type; // of the result
  AffineMap read;
};

// What the op moves, with the movements that it alone reads before it; nothing where it computes, or tensors have
// encodings.
std::optional<Movement> matchMovement(linalg::LinalgOp op);

// Turns matrices within sources, one of a source for all that read it.
class ShortRows {
public:
  explicit ShortRows(RewriterBase &rewriter) : rewriter(rewriter) {}

  // Replaces a movement from short rows (the taps of a kernel) to rows of another dimension by two: the transpose of
  // matrices, whose rows are the taps of many channels, and a movement of whole rows. Not where it moves few elements
  // of a source that was not turned for another op. False: it stays as it is.
  bool split(linalg::LinalgOp op);
  // Of an op that nobody reads.
  void erase(linalg::LinalgOp op);

private:
  bool isTurned(Value source, int64_t lane) const;
  Value turnBehind(Value source, int64_t lane);

  RewriterBase &rewriter;
  DenseMap<Value, llvm::SmallDenseMap<int64_t, Value>> turned; // by source and the dimension that became the last
};

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_FORM_MOVEMENT_H
