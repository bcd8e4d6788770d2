// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What SPIR-V has no word for, in words that it has.
#ifndef HEDDLE_COMPILER_TARGET_VULKAN_BACKEND_SPIRVPREPARATION_H
#define HEDDLE_COMPILER_TARGET_VULKAN_BACKEND_SPIRVPREPARATION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::heddle::vulkan {

// On the code of one invocation, arithmetic on bf16 expanded before:
//   - bf16 is moved as integers of the same bits;
//   - the leading zeros of 64 bits are those of two words;
//   - the remainder of signed integers is that of their magnitudes, with the sign of the dividend;
//   - a product with a constant 0 is made of bits, NaN where the other operand is infinite or NaN: lavapipe
//     takes it for 0;
//   - a 64-bit integer that becomes an index is clamped to what 32 bits hold first, so that an index far outside of a
//     dimension stays outside;
//   - what a loop carries is kept in memory of the invocation: upstream's conversion leaves the results of a loop that
//     runs no time undefined.
void prepareForSpirv(func::FuncOp kernel);

} // namespace mlir::heddle::vulkan

#endif // HEDDLE_COMPILER_TARGET_VULKAN_BACKEND_SPIRVPREPARATION_H
