// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Updates of a tensor by many invocations.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_EMIT_ROWS_SCATTERSORTED_H
#define HEDDLE_COMPILER_STAGES_IMPORT_EMIT_ROWS_SCATTERSORTED_H

#include "compiler/Stages/Import/Emit/Rows/ScatterInOrder.h"

namespace mlir::heddle::importer {

// What scatterInOrder computes, for devices that run a row of scalar code in one invocation. Updates are sorted by
// where they go (sortInRuns), equal ones in their order, and every element of the result finds its own by a binary
// search: nobody writes what another writes, so results are the same in every run. If `replaces`, the last update of an
// element stays; else `body` must be associative: an element's updates meet one after the other, but of many whole
// parts (FormModel::partElements) of them are combined first, and of those parts of parts.
Tensor scatterSorted(Emitter &emitter, Tensor &data, Tensor &positions, Tensor &updates, bool replaces,
                     UpdateBody body);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_EMIT_ROWS_SCATTERSORTED_H
