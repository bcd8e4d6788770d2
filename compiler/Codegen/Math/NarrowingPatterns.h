// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 16-bit floats: conversions without library calls, and arithmetic by way of f32.
#ifndef HEDDLE_COMPILER_CODEGEN_MATH_NARROWINGPATTERNS_H
#define HEDDLE_COMPILER_CODEGEN_MATH_NARROWINGPATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::heddle::codegen {

// Ops of arith and math on f16 and bf16 become f32's between conversions, which is the same where the op itself rounds
// correctly. Expands arith.truncf of f64 to f16 and bf16 by way of f32, rounded to odd there so that the result is
// rounded once. Integers become 16-bit floats by way of f32.
void populateNarrowingPatterns(RewritePatternSet &patterns);

// Expands arith.truncf of f32 to f16 and arith.extf of f16 to f32 by integer arithmetic, for processors without
// instructions for them. Rounds to nearest even; NaNs become quiet.
void populateHalfPatterns(RewritePatternSet &patterns);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_MATH_NARROWINGPATTERNS_H
