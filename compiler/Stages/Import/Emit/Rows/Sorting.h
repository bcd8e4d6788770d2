// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting, as scalar code of rows (flow.rows): what TopK and Unique share.
//
// An entry is one to three integers that compare as a list; `before` says which of two comes first, and never that of
// equal ones: entries hold their position where order must not depend on the algorithm. A heap of the best k entries
// sees all others once: n + (replaced) log k steps, and sorting what is kept takes k log k more. All of what is in
// order from the begin takes n.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_EMIT_ROWS_SORTING_H
#define HEDDLE_COMPILER_STAGES_IMPORT_EMIT_ROWS_SORTING_H

#include "compiler/Stages/Import/Emit/Rows/RowCode.h"

namespace mlir::heddle::importer {

// How one row is sorted.
struct RowOrder {
  RowCode &c;
  Value row;
  std::function<Value(ValueRange a, ValueRange b)> before;
  std::function<SmallVector<Value>(Value i)> entry; // number i of those to be sorted
  // If set, of each of the first `blocks` runs of `blockSize` entries: whether none of them comes before `last`. Then
  // they are not looked at one by one.
  std::function<Value(Value block, ValueRange last)> skips = {};
  Value blocks = {};
  Value offset = {};     // if set, where in the row the entries are put
  int64_t blockSize = 0; // with `skips`, a power of two

  // Puts the first `kept` of `count` entries (no more; none only if there are none), in order, into the first columns
  // of row `row` of `tensors`, one tensor for each integer of an entry, and gives their new versions.
  SmallVector<Value> sort(Value count, Value kept, ValueRange tensors);

  // A heap of the first `size` columns: in column 0 the entry that comes last.
  SmallVector<Value> heapify(ValueRange tensors, Value size);
  // Puts an entry into a heap that is right below `position`, where there is room for it.
  SmallVector<Value> sink(ValueRange entry, ValueRange tensors, Value position, Value size);
  SmallVector<Value> get(ValueRange tensors, Value position);
  SmallVector<Value> put(ValueRange entry, ValueRange tensors, Value position);

private:
  Value isInOrder(Value count, Value kept, ValueRange tensors);
  SmallVector<Value> sortHeap(Value count, Value kept, ValueRange entries);
  SmallVector<Value> consider(Value begin, Value end, ValueRange heap, Value kept);
  Value lastChild(ValueRange tensors, Value position, Value size);
};

// A signed integer as wide as the element that grows where the element does; NaN is the greatest, both zeros are one.
Value toKey(RowCode &c, Value element, Type type);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_EMIT_ROWS_SORTING_H
