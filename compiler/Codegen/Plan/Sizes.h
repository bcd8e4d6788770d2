// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes that types tell.
#ifndef HEDDLE_COMPILER_CODEGEN_PLAN_SIZES_H
#define HEDDLE_COMPILER_CODEGEN_PLAN_SIZES_H

#include "compiler/Codegen/Plan/Configure.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::heddle::codegen {

// None where only the call knows.
Size sizeOf(RankedTensorType type, int64_t dim);

// How many elements the op reduces to one; none where only the call knows.
Size staticReduction(linalg::GenericOp op);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_PLAN_SIZES_H
