// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of one element that upstream dialects lack.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_EMIT_NUMERICS_FUNCTIONS_H
#define HEDDLE_COMPILER_STAGES_IMPORT_EMIT_NUMERICS_FUNCTIONS_H

#include "compiler/Stages/Import/Emit/Scalars.h"

namespace mlir::heddle::numerics {

using ElementFunction = Value (*)(importer::Scalar &, Value);

// Inverse of erf; in f32 and narrower after M. Giles, "Approximating the erfinv function" (2010).
Value inverseErf(importer::Scalar &s, Value x);
Value square(importer::Scalar &s, Value x);
// The next number after `x` on the way to `y`; both are 0: `y`.
Value nextAfter(importer::Scalar &s, Value x, Value y);
// A float as an integer that has the floats' total order: -NaN < -inf < … < -0 < 0 < … < NaN. Integers as they are.
Value orderKey(importer::Scalar &s, Value x);
// The nearest number, ties to even, of a float of so many bits of exponent (at least 1) and mantissa, none more than
// `x` has; infinite where it overflows, 0 where it would be subnormal. NaN stays NaN.
Value reducePrecision(importer::Scalar &s, Value x, unsigned exponentBits, unsigned mantissaBits);
// Integers of one type, as often multiplied as `exponent` says; wraps. To a negative power: 1 and -1 as they are, else
// 0.
Value integerPower(importer::Scalar &s, Value base, Value exponent);
// How many bits of an integer are 1.
Value countOnes(importer::Scalar &s, Value x);
// How many are 0 above the highest 1.
Value countLeadingZeros(importer::Scalar &s, Value x);
Value isInfinite(importer::Scalar &s, Value x);
Value isPositiveInfinite(importer::Scalar &s, Value x);
Value isNegativeInfinite(importer::Scalar &s, Value x);

} // namespace mlir::heddle::numerics

#endif // HEDDLE_COMPILER_STAGES_IMPORT_EMIT_NUMERICS_FUNCTIONS_H
