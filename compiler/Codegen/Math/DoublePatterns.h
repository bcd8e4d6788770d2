// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of math on f64 without library calls.
#ifndef HEDDLE_COMPILER_CODEGEN_MATH_DOUBLEPATTERNS_H
#define HEDDLE_COMPILER_CODEGEN_MATH_DOUBLEPATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::heddle::codegen {

// Expands the functions of DoubleFunctions.h on f64, before any other pattern. On f32 those go by way of f64 for which
// approximations in f32 are not good enough over the whole range. `hasFma`: the processor has fused multiply-add.
// Some of the ops carry kExactAttr: they must not be contracted.
void populateDoublePatterns(RewritePatternSet &patterns, bool hasFma);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_MATH_DOUBLEPATTERNS_H
