// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalar code (flow.rows) in many short rows, for devices that run a row in one invocation: sums and selections of a
// list in parts (FormModel::partElements). The work is linear, and no row's loops run longer than a part, but for the
// last level of sums: n / part^2 where n is free.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_EMIT_ROWS_PARALLELROWS_H
#define HEDDLE_COMPILER_STAGES_IMPORT_EMIT_ROWS_PARALLELROWS_H

#include "compiler/Stages/Import/Emit/Rows/RowCode.h"

namespace mlir::heddle::importer {

// Where part `part` of a list of `size`, cut into parts of `width`, begins and ends.
struct PartRange {
  PartRange(RowCode &c, int64_t width, Value part, Value size);
  Value begin, end;
};

// Of a list of integers [n], i64: for each element the sum of those before it [n], and the sum of all [1].
struct Sums {
  Tensor before, total;
};
Sums sumsBefore(Emitter &emitter, Tensor &list);

// The positions of a list of `size` where `counts` (i1) holds, in their order, and how many they are [1]. Of the
// positions, i64 [size], only so many are defined.
struct Selected {
  Tensor positions, count;
};
using CountsAt = llvm::function_ref<Value(RowCode &, Value position)>;
Selected selectInParts(Emitter &emitter, OpFoldResult size, CountsAt counts);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_EMIT_ROWS_PARALLELROWS_H
