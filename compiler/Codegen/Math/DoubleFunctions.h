// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of math on f64, as arithmetic. Errors in units in the last place: docs/design/codegen-numbers.md.
// Infinities, NaN, signed zeros, subnormal and huge arguments are as C has them.
#ifndef HEDDLE_COMPILER_CODEGEN_MATH_DOUBLEFUNCTIONS_H
#define HEDDLE_COMPILER_CODEGEN_MATH_DOUBLEFUNCTIONS_H

#include "compiler/Codegen/Math/DoubleBuilder.h"

#include <limits>

namespace mlir::heddle::codegen::doubles {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

Value exp(DoubleBuilder &d, Value x);
Value exp2(DoubleBuilder &d, Value x);
Value expM1(DoubleBuilder &d, Value x);
Value log(DoubleBuilder &d, Value x);
Value log2(DoubleBuilder &d, Value x);
Value log10(DoubleBuilder &d, Value x);
Value log1p(DoubleBuilder &d, Value x);
Value pow(DoubleBuilder &d, Value x, Value y);
Value cbrt(DoubleBuilder &d, Value x);
Value sinh(DoubleBuilder &d, Value x);
Value cosh(DoubleBuilder &d, Value x);
Value tanh(DoubleBuilder &d, Value x);
Value asinh(DoubleBuilder &d, Value x);
Value acosh(DoubleBuilder &d, Value x);
Value atanh(DoubleBuilder &d, Value x);
Value erf(DoubleBuilder &d, Value x);
Value erfc(DoubleBuilder &d, Value x);
Value sin(DoubleBuilder &d, Value x);
Value cos(DoubleBuilder &d, Value x);
Value tan(DoubleBuilder &d, Value x);
Value asin(DoubleBuilder &d, Value x);
Value acos(DoubleBuilder &d, Value x);
Value atan(DoubleBuilder &d, Value x);
Value atan2(DoubleBuilder &d, Value y, Value x);

} // namespace mlir::heddle::codegen::doubles

#endif // HEDDLE_COMPILER_CODEGEN_MATH_DOUBLEFUNCTIONS_H
