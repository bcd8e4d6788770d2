// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The incomplete gamma function.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_EMIT_NUMERICS_INCOMPLETEGAMMA_H
#define HEDDLE_COMPILER_STAGES_IMPORT_EMIT_NUMERICS_INCOMPLETEGAMMA_H

#include "compiler/Stages/Import/Emit/Scalars.h"

namespace mlir::heddle::numerics {

// The integral of t^(a - 1) exp(-t) from 0 to x, or with `upper` from x to infinity, divided by gamma(a); of f32 or
// f64, computed in f64. NaN where a or x is negative, or both are 0 or both are infinite. Below a = 2^20 by the series
// or the continued fraction, in up to some 10,000 terms; above by Temme's expansion, to 1e-12.
Value incompleteGamma(importer::Scalar &s, Value a, Value x, bool upper);

} // namespace mlir::heddle::numerics

#endif // HEDDLE_COMPILER_STAGES_IMPORT_EMIT_NUMERICS_INCOMPLETEGAMMA_H
