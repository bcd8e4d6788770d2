// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that only move elements, on constants.
#ifndef HEDDLE_COMPILER_EVALUATION_MOVEMENT_H
#define HEDDLE_COMPILER_EVALUATION_MOVEMENT_H

#include "compiler/Evaluation/Array.h"

#include "mlir/IR/Operation.h"

namespace mlir::heddle::evaluation {

// Whether moveElements() knows the op: tensor.cast, expand_shape, collapse_shape, extract_slice, insert_slice, concat,
// pad, splat, from_elements and linalg.pack, unpack; shapes and offsets static.
bool isMovement(Operation *op);
// The result; `inputs` are the op's operands in order.
Array moveElements(Operation *op, ArrayRef<Array> inputs);

} // namespace mlir::heddle::evaluation

#endif // HEDDLE_COMPILER_EVALUATION_MOVEMENT_H
