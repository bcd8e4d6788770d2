// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats of 8 and 4 bits: their codes to wider floats and back, by arithmetic without branches or tables.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_EMIT_SMALLFLOATS_H
#define HEDDLE_COMPILER_STAGES_IMPORT_EMIT_SMALLFLOATS_H

#include "compiler/Stages/Import/Emit/Scalars.h"

namespace mlir::heddle::importer {

// A code (i8) of type `from` as f32, exactly.
Value decode(Scalar s, Value code, FloatType from);

// `x`, a float of 16 bits or more, as a code of `to`: rounded once, to nearest even (f8E8M0FNU: as rules.scale says).
// Too large, infinity too, gives the largest number of that sign, or without `saturate` infinity, or NaN where the type
// has no infinity. NaN stays NaN; of f4E2M1FN, which has none, it is a zero. f8E8M0FNU takes the magnitude; too small
// gives its least number, or NaN without `saturate`.
Value encode(Scalar s, Value x, FloatType to, CastRules rules);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_EMIT_SMALLFLOATS_H
