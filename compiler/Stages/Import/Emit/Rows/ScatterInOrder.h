// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Updates of a tensor, written one after the other.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_EMIT_ROWS_SCATTERINORDER_H
#define HEDDLE_COMPILER_STAGES_IMPORT_EMIT_ROWS_SCATTERINORDER_H

#include "compiler/Stages/Import/Emit/Scalars.h"

namespace mlir::heddle::importer {

// An element after an update, from what was there and what the update gives.
using UpdateBody = llvm::function_ref<Value(OpBuilder &, Location, Value before, Value update)>;

// data [outer, size, inner] after the updates [outer, count, inner], in their order: update u of a column is written at
// `positions`, i64 [outer, count, inner], or [outer, count] for all columns of a row alike; nowhere at a position that
// is not within the size. Scalar code (flow.rows) whose work is linear in elements and updates; blocks of columns, and
// of positions where they are many more than the updates, are computed at the same time.
Tensor scatterInOrder(Emitter &emitter, Tensor &data, Tensor &positions, Tensor &updates, UpdateBody body);

// The sizes that the `outer` of the data and that of the updates are made of, as many of both.
struct OuterSizes {
  SizeList ofData, ofUpdates;
};
// The same where the updates are of the first outer rows along each of `outer`, and of the first columns: positions and
// updates [outer of the updates, count, columns], of no more of each than the data has.
Tensor scatterPartInOrder(Emitter &emitter, Tensor &data, Tensor &positions, Tensor &updates, const OuterSizes &outer,
                          UpdateBody body);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_EMIT_ROWS_SCATTERINORDER_H
