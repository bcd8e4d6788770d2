// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What bodies of ops read and write by index, along which loop: for factors (Factors.h) and the ops on parts.
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_FACTORS_INDEXWALKS_H
#define HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_FACTORS_INDEXWALKS_H

#include "compiler/Dialect/Flow/IR/FlowRows.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::heddle::flow {

// Sum of `scales[loop] * loop` and `first`, of none of which is below 0: parts of loops read a range of positions.
struct Walk {
  SmallVector<int64_t> scales; // by loop
  int64_t first = 0;
};

// None where the expression is no such sum.
std::optional<Walk> walkOf(AffineExpr expr, unsigned loops);

// The number of the loop that an index in the body of a linalg op or of flow.rows (whose rows are loop 0) is.
std::optional<unsigned> loopOf(Operation *op, Value index);

// Whether an op's regions read the value from outside: it may stand in a function that is being rewritten, not around
// the op.
bool isFromOutside(Operation *op, Value value);

// The reads of a captured tensor in the body of an op; none where it is used in another way, too.
std::optional<SmallVector<tensor::ExtractOp>> findReads(Operation *op, Value captured);

// For each dimension of a captured tensor the loop that alone indexes it wherever the body reads the tensor. No loop is
// there twice.
SmallVector<std::optional<unsigned>> findWalkedLoops(Operation *op, Value captured);

// The one read of a captured tensor that an op without reduced loops gives as it is; null where it does more or other.
tensor::ExtractOp findLookUp(linalg::LinalgOp op);

// Whether each row writes its position of the results' first dimension only, and reads there only what it wrote.
bool writesByRow(RowsOp op);

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_FACTORS_INDEXWALKS_H
