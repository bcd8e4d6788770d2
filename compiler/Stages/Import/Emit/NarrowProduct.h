// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products with constant weights that stay as narrow as the model has them: docs/design/quantisation.md.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_EMIT_NARROWPRODUCT_H
#define HEDDLE_COMPILER_STAGES_IMPORT_EMIT_NARROWPRODUCT_H

#include "compiler/Stages/Import/Emit/Scalars.h"

namespace mlir::heddle::importer {

// Whether `weights` is a constant quantised matrix [k, n] of elements of at most 8 bits, with one scale, one for each
// column, or one for each block of rows in each column, and a product with `rows` reads it where it is narrow.
bool isNarrowWeight(const FormModel &forms, const Tensor &rows, const Tensor &weights);

// rows x weights as MatMul has it, in f32; rows [.., k] of f32. isNarrowWeight() must hold. `name`: of the op, in the
// message of a call whose sizes do not fit. `allowed`: the model says that rows may be rounded to 8 bits, which they
// are where FormModel::rounding wants it and weights are integers.
Tensor multiplyNarrow(Emitter &emitter, Tensor rows, Tensor &weights, StringRef name, bool allowed = false);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_EMIT_NARROWPRODUCT_H
