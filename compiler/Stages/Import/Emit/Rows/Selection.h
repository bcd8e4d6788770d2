// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements picked by data: how many there are, only the call knows.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_EMIT_ROWS_SELECTION_H
#define HEDDLE_COMPILER_STAGES_IMPORT_EMIT_ROWS_SELECTION_H

#include "compiler/Stages/Import/Emit/Scalars.h"

namespace mlir::heddle::importer {

// The positions of the elements of a vector that are not zero, ascending: [count] i64. The call waits for the count.
Tensor positionsOfNonZero(Emitter &emitter, Tensor &vector);

// Rows of `tensor` along `axis`, at positions [count] i64 that are known to exist.
Tensor takeAlong(Emitter &emitter, Tensor &tensor, Tensor &positions, int64_t axis);

// The first `count` entries along `axis`.
Tensor firstAlong(Emitter &emitter, Tensor &tensor, OpFoldResult count, int64_t axis);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_EMIT_ROWS_SELECTION_H
