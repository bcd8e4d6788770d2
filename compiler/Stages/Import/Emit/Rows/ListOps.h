// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts, scans and scatters, whole: ops of the intent dialect (IntentLists.h), with the sizes that the emitter knows.
// How they are computed is decided later, for the devices (intent-decompose-lists).
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_EMIT_ROWS_LISTOPS_H
#define HEDDLE_COMPILER_STAGES_IMPORT_EMIT_ROWS_LISTOPS_H

#include "compiler/Stages/Import/Emit/Emitter.h"

namespace mlir::heddle::importer {

// The positions (i64) of the first `kept` elements along `dim` when sorted by value, the greatest first if
// `descending`; of equal elements the one that stands first. NaN is greater than all numbers, both zeros are one.
Tensor sortAlong(Emitter &emitter, Tensor &tensor, int64_t dim, OpFoldResult kept, bool descending);

// Whether elements `first`, one of each list, come before elements `second`; elements in pairs of first and second.
using PairBody = llvm::function_ref<Value(OpBuilder &, Location, ValueRange pairs)>;
// The same of lists of several tensors of one shape, by any order.
Tensor sortAlong(Emitter &emitter, MutableArrayRef<Tensor> tensors, int64_t dim, OpFoldResult kept, PairBody before);

// The elements at such positions, which have the tensor's shape but for the size along `dim`.
Tensor takePositions(Emitter &emitter, Tensor &tensor, Tensor &positions, int64_t dim);

struct ScanForm {
  int64_t dim = 0;
  bool exclusive = false, reverse = false, associative = false; // as intent.scan says
};
// The states behind an element from the states before it, as intent.scan's region: position, states, elements.
using ScanBody = llvm::function_ref<SmallVector<Value>(OpBuilder &, Location, ValueRange)>;
// Running states along a dimension: `states` are their element types, `start` where they begin.
SmallVector<Tensor> scanAlong(Emitter &emitter, ArrayRef<Tensor *> tensors, const ScanForm &form, ArrayRef<Type> states,
                              ArrayRef<TypedAttr> start, ScanBody body);

// An element after an update, from what was there and what the update gives.
using CombineBody = llvm::function_ref<Value(OpBuilder &, Location, Value before, Value update)>;
// `data` after the updates along `dim`, in their order, as intent.scatter says. `combine` null: the last update stays.
Tensor scatterAlong(Emitter &emitter, Tensor &data, Tensor &places, Tensor &updates, int64_t dim, CombineBody combine,
                    bool associative);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_EMIT_ROWS_LISTOPS_H
