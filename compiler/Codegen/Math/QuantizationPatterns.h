// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What quantised networks do between their integers: divide by a scale, round, clamp, and back. Same results, bit for
// bit, in fewer and cheaper instructions.
#ifndef HEDDLE_COMPILER_CODEGEN_MATH_QUANTIZATIONPATTERNS_H
#define HEDDLE_COMPILER_CODEGEN_MATH_QUANTIZATIONPATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::heddle::codegen {

// A byte of a quotient by a constant scale, rounded, shifted and clamped, or a float that is one: dividends are clamped
// instead of quotients, by which no quotient is infinite and the zero point added is not taken off again; a sum with
// 1.5 * 2^23 rounds and has the integer in its low bits. `fma`: the processor multiplies and adds in one. To be applied
// before the patterns below.
void rewriteQuantizationSteps(Operation *op, bool fma);

// A quotient of f32 by a constant: by the reciprocal, corrected by its remainder. Needs fused multiply-add. Dividends
// below 2^-100 may be off by an ulp, unless the quotient is rounded to an integer. P. Markstein, "Computation of
// elementary functions on the IBM RISC System/6000 processor", 1990.
void populateQuotientPatterns(RewritePatternSet &patterns);

// A float that is integral and clamped to a byte's range needs no way through the byte to be a float again.
void populateRequantizationPatterns(RewritePatternSet &patterns);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_MATH_QUANTIZATIONPATTERNS_H
