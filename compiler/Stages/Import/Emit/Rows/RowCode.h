// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes scalar code for flow.rows: loops, branches, elements of tensors.
//
// Values that a loop or branch changes are carried: scalars, and the newest versions of results. An old version must
// not be used again.
//
//   RowCode c{b, loc};
//   Value sum = c.loop(c.index(0), size, {zero}, [&](Value i, ValueRange so_far) -> SmallVector<Value> {
//     return {c.add(so_far[0], c.read(source, {i}))};
//   })[0];
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_EMIT_ROWS_ROWCODE_H
#define HEDDLE_COMPILER_STAGES_IMPORT_EMIT_ROWS_ROWCODE_H

#include "compiler/Stages/Import/Emit/Scalars.h"

namespace mlir::heddle::importer {

// One row of scalar code, given the row and the results so far: their new versions (flow.rows).
using RowBody = llvm::function_ref<SmallVector<Value>(OpBuilder &, Location, Value row, ValueRange results)>;
// Scalar code that writes `count` rows of its results. Their element types and sizes are those of `results`, whose
// values do not matter.
SmallVector<Tensor> emitRows(Emitter &emitter, OpFoldResult count, ArrayRef<Tensor> results, RowBody body);

// A size that only data tell: the element of a one-element integer tensor, read on the host, where the call waits for
// it. It is known to be at least 0 and at most `most`.
OpFoldResult readSize(Emitter &emitter, Tensor &count, OpFoldResult most);

// A tensor without a value, as `emitRows` takes it.
Tensor describeResult(Type elementType, ArrayRef<OpFoldResult> sizes);

struct RowCode {
  OpBuilder &b;
  Location loc;

  using Values = SmallVector<Value>;
  using Step = llvm::function_ref<Values(Value i, ValueRange carried)>;
  using Change = llvm::function_ref<Values(ValueRange carried)>;

  Value index(int64_t value);
  Value i64(int64_t value);
  Value toI64(Value index);
  Value toIndex(Value integer);
  // Of integers and index values, which are signed.
  Value add(Value x, Value y);
  Value sub(Value x, Value y);
  Value mul(Value x, Value y);
  Value half(Value x);              // of what is not negative
  Value quotient(Value x, Value y); // of what is not negative, as the next one
  Value remainder(Value x, Value y);
  Value min(Value x, Value y);
  Value less(Value x, Value y);
  Value equal(Value x, Value y);
  Value both(Value p, Value q);
  Value either(Value p, Value q);
  Value isNot(Value p);
  Value select(Value condition, Value x, Value y);

  Value read(Value tensor, ValueRange at);
  // The new version of `tensor`.
  Value write(Value element, Value tensor, ValueRange at);

  Values loop(Value begin, Value end, ValueRange carried, Step step);
  // While the condition holds.
  Values repeat(ValueRange carried, llvm::function_ref<Value(ValueRange)> condition, Change change);
  Values choose(Value condition, llvm::function_ref<Values()> then, llvm::function_ref<Values()> otherwise);
};

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_EMIT_ROWS_ROWCODE_H
