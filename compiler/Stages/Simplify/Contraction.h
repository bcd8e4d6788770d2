// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a contraction is to the patterns of `simplify`.
#ifndef HEDDLE_COMPILER_STAGES_SIMPLIFY_CONTRACTION_H
#define HEDDLE_COMPILER_STAGES_SIMPLIFY_CONTRACTION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::heddle {

// Whether the op sums products of floats, of its two operands, and nothing else: convolutions and matrix products that
// start from zero.
bool isSumOfProducts(linalg::LinalgOp op);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_SIMPLIFY_CONTRACTION_H
