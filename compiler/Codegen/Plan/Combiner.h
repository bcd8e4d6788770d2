// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What makes partial results of a reduction possible: each result is `accumulator op f(inputs)` with an associative op.
#ifndef HEDDLE_COMPILER_CODEGEN_PLAN_COMBINER_H
#define HEDDLE_COMPILER_CODEGEN_PLAN_COMBINER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::heddle::codegen {

struct Combiner {
  vector::CombiningKind kind;
  TypedAttr neutral; // combined with anything, it changes nothing
};

// One for each result; none where some result is combined otherwise.
std::optional<SmallVector<Combiner>> getCombiners(linalg::GenericOp op);

// Whether the op's products may be summed in blocks: a sum of floats, along loops whose sizes are known, or one whose
// size is not. Not under --strict-float.
bool canSumInBlocks(linalg::GenericOp op);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_PLAN_COMBINER_H
