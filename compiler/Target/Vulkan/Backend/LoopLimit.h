// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Drivers that end an invocation's loops early, without a word.
#ifndef HEDDLE_COMPILER_TARGET_VULKAN_BACKEND_LOOPLIMIT_H
#define HEDDLE_COMPILER_TARGET_VULKAN_BACKEND_LOOPLIMIT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::heddle::vulkan {

// Mesa's llvmpipe counts the rounds of all loops of an invocation together, one more for each time a loop is entered;
// after 65,535 it leaves every loop after its first round. Code whose rounds are not known to stay below kFewRounds
// ends in a loop of two or three rounds, a number the driver cannot know: where that loop was left early, the kernel
// fails with HEDDLE_KERNEL_LOOP_ENDED. To be called before prepareForSpirv.
inline constexpr int64_t kFewRounds = 1 << 15;
void detectEndedLoops(func::FuncOp kernel);

} // namespace mlir::heddle::vulkan

#endif // HEDDLE_COMPILER_TARGET_VULKAN_BACKEND_LOOPLIMIT_H
