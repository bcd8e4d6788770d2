// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions on f32 where upstream's approximations are wrong somewhere, in as many instructions.
#ifndef HEDDLE_COMPILER_CODEGEN_MATH_SINGLEPATTERNS_H
#define HEDDLE_COMPILER_CODEGEN_MATH_SINGLEPATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::heddle::codegen {

// On f32: log and log2, also of subnormal numbers, at most 1 and 3 ulp; without fused multiply-add (`hasFma`) tanh,
// which reaches 1. With it upstream's tanh does. `mayFuse`: what compiles the code further may fuse nevertheless.
void populateSinglePatterns(RewritePatternSet &patterns, bool hasFma, bool mayFuse);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_MATH_SINGLEPATTERNS_H
