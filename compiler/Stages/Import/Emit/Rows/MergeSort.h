// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting of long rows by many invocations.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_EMIT_ROWS_MERGESORT_H
#define HEDDLE_COMPILER_STAGES_IMPORT_EMIT_ROWS_MERGESORT_H

#include "compiler/Stages/Import/Emit/Rows/Sorting.h"

namespace mlir::heddle::importer {

// The order of a row's entries (`before` and `entry`); what it captures must outlive the call.
using OrderOfRow = llvm::function_ref<RowOrder(RowCode &c, Value row)>;

// The first `kept` of the `count` entries of each of `rows` rows, in order: a tensor [rows, count] for each of
// `integers` of an entry, of which the first `kept` columns are defined. Runs of some entries (FormModel::runEntries)
// are sorted side by side; then a loop of the program merges two neighbours each until one is left (merge path: Odeh et
// al. 2012, "Merge Path - Parallel Merging Made Simple"). A row of scalar code makes as many entries of the merged run,
// having searched where in both runs they begin.
SmallVector<Tensor> sortInRuns(Emitter &emitter, OpFoldResult rows, OpFoldResult count, OpFoldResult kept,
                               unsigned integers, OrderOfRow orderOf);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_EMIT_ROWS_MERGESORT_H
