// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of a constant matrix and values in registers, in few instructions: zeros and ones cost nothing, and what
// places of opposite points have in common is computed once.
#ifndef HEDDLE_COMPILER_CODEGEN_CPU_WINOGRADTRANSFORM_H
#define HEDDLE_COMPILER_CODEGEN_CPU_WINOGRADTRANSFORM_H

#include "compiler/Analysis/Winograd.h"

namespace mlir::heddle::codegen {

// A value for each row of the matrix, from one for each column: floats, or vectors of them.
SmallVector<Value> emitTransform(OpBuilder &builder, Location loc, const winograd::Matrix &matrix,
                                 ArrayRef<Value> values);

// matrix * values * transposed matrix, of a square of values in rows.
SmallVector<Value> emitSquareTransform(OpBuilder &builder, Location loc, const winograd::Matrix &matrix,
                                       ArrayRef<Value> values);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_CPU_WINOGRADTRANSFORM_H
