// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The special functions of CHLO on one element of 32 or 64 bits: gamma's family, Hurwitz' zeta and a Bessel function.
//
// Largest errors met against 40 digits, in units in the last place, of f32 and f64: lgamma and digamma of positive
// numbers 2, zeta 7, polygamma 5, besselI1e 7. Near a zero of lgamma or digamma (and both have one beside every pole)
// the error is that of its terms: digits of the value are lost, as in every implementation without tables of zeros.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_EMIT_NUMERICS_SPECIALFUNCTIONS_H
#define HEDDLE_COMPILER_STAGES_IMPORT_EMIT_NUMERICS_SPECIALFUNCTIONS_H

#include "compiler/Stages/Import/Emit/Scalars.h"

namespace mlir::heddle::numerics {

// log |gamma(x)|; infinite at 0, -1, -2, … and at both infinities.
Value logGamma(importer::Scalar &s, Value x);
// Its derivative; NaN at 0, -1, -2, ….
Value digamma(importer::Scalar &s, Value x);
// The sum of (q + k)^-x over k >= 0. Infinite for x = 1 and for q = 0, -1, …; NaN for x < 1, for fractional x where
// q < 0, and for fractional q below -2^24.
Value zeta(importer::Scalar &s, Value x, Value q);
// Derivative number n of digamma; NaN unless n is 0, 1, ….
Value polygamma(importer::Scalar &s, Value n, Value x);
// exp(-|x|) times the modified Bessel function of the first kind of order 1.
Value besselI1e(importer::Scalar &s, Value x);

} // namespace mlir::heddle::numerics

#endif // HEDDLE_COMPILER_STAGES_IMPORT_EMIT_NUMERICS_SPECIALFUNCTIONS_H
