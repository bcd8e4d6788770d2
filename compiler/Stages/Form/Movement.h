// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that only move elements: transposes, and such with dimensions that are walked backwards (the weights of a
// transposed convolution).
#ifndef HEDDLE_COMPILER_STAGES_FORM_MOVEMENT_H
#define HEDDLE_COMPILER_STAGES_FORM_MOVEMENT_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace mlir::heddle {

// Dimension i of the result is dimension `permutation[i]` of `source`, from its end where `reversed[i]`.
struct Movement {
  Value source;
  RankedTensorType type; // of the result
  SmallVector<int64_t> permutation;
  SmallVector<bool> reversed;

  int64_t rank() const { return type.getRank(); }
};

// What the op moves, with the movements that it alone reads before it; nothing where it computes, or tensors have
// encodings. Reversed dimensions have known sizes.
std::optional<Movement> matchMovement(Operation *op);

// Replaces a movement from short rows (the taps of a kernel) to rows of another dimension by two: the transpose of
// matrices, whose rows are the taps of many channels, and a movement of whole rows. False: it stays as it is.
bool splitShortRows(linalg::LinalgOp op, RewriterBase &rewriter);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_FORM_MOVEMENT_H
