// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quotients of integers in vectors, which no processor has an instruction for.
#ifndef HEDDLE_COMPILER_CODEGEN_MATH_DIVISIONPATTERNS_H
#define HEDDLE_COMPILER_CODEGEN_MATH_DIVISIONPATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::heddle::codegen {

// Expands arith.divsi, divui, remsi and remui on vectors of integers of up to 32 bits whose divisors are not constant:
// by a quotient of floats, f32 up to 16 bits, else f64. It is exact: a quotient that is no integer is at least 1 /
// divisor away from one, relatively 1 / dividend, which is more than the float's rounding.
void populateDivisionPatterns(RewritePatternSet &patterns);

// Wider ones LLVM divides lane by lane: a divisor of zero, as lanes that a mask switches off have, becomes one.
void guardDivisors(Operation *op);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_MATH_DIVISIONPATTERNS_H
