// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of a tensor sorted by value.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_EMIT_ROWS_SORTEDPOSITIONS_H
#define HEDDLE_COMPILER_STAGES_IMPORT_EMIT_ROWS_SORTEDPOSITIONS_H

#include "compiler/Stages/Import/Emit/Emitter.h"

namespace mlir::heddle::importer {

// The positions of the first `kept` elements of each row of `rows` [r, n] when sorted, the greatest first if `largest`;
// of equal elements the one that stands first. NaN is greater than all numbers. [r, kept] i64.
Tensor sortedPositions(Emitter &emitter, Tensor &rows, OpFoldResult kept, bool largest);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_EMIT_ROWS_SORTEDPOSITIONS_H
