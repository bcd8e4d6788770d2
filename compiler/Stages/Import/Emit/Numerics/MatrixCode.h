// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalar code (RowCode.h) on one matrix of a batch: what factorizations share.
//
// Matrices are tensors [batch, rows, columns], vectors [batch, size]; a row of flow.rows works on one number of the
// batch. Inner loops go along rows, which lie side by side in memory, so that LLVM vectorises them. Every function that
// writes gives the new version of what it writes.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_EMIT_NUMERICS_MATRIXCODE_H
#define HEDDLE_COMPILER_STAGES_IMPORT_EMIT_NUMERICS_MATRIXCODE_H

#include "compiler/Stages/Import/Emit/Rows/RowCode.h"

#include <functional>

namespace mlir::heddle::numerics {

struct MatrixCode : importer::RowCode {
  using Scalar = importer::Scalar;
  using Place = std::function<Value(Value i, Value j)>; // the element at a place

  MatrixCode(OpBuilder &b, Location loc, Value batch, Type type) : RowCode{b, loc}, batch(batch), s{b, loc, type} {}

  Value batch;
  Scalar s; // arithmetic on elements

  Value real(double value) { return s.constant(s.type, value); }
  Value at(Value matrix, Value i, Value j) { return read(matrix, {batch, i, j}); }
  Value at(Value vector, Value i) { return read(vector, {batch, i}); }
  Value put(Value element, Value matrix, Value i, Value j) { return write(element, matrix, {batch, i, j}); }
  Value put(Value element, Value vector, Value i) { return write(element, vector, {batch, i}); }
  Value next(Value i) { return add(i, index(1)); }
  Value isBelow(Value x, Value y) { return s.less(x, y); }
  // What the type resolves beside 1.
  double resolution() const;
  Value integer(Value index); // as i32

  // `matrix` with every element of rows x columns from its place.
  Value fill(Value matrix, Value rows, Value columns, Place element);
  // A scalar, from `init` on, for i from `begin` to before `end`.
  Value fold(Value begin, Value end, Value init, llvm::function_ref<Value(Value i, Value so_far)> step);
  // matrix[i, j] - factor * matrix[k, j] for j from `begin` to before `end`.
  Value subtractRow(Value matrix, Value i, Value k, Value factor, Value begin, Value end);
  Value swapRows(Value matrix, Value i, Value k, Value columns);
  // Rows p and q turned: (c p - t p', t p + c p') of the pair.
  Value turnRows(Value matrix, Value p, Value q, Value cosine, Value sine, Value columns);
  // What all of rows x columns are divided by: the greatest magnitude, or 1 where that is 0 or not finite.
  struct Scale {
    Value by, isFinite;
  };
  Scale scaleOf(Value rows, Value columns, Place element);
  // `info` [batch], i32: 0, or 1 where an element is not finite or `failed` (if given) holds.
  Value writeInfo(Value info, const Scale &scale, Value failed = {});
  // `values` [batch, n] in order, and with them the rows of matrices of as many columns each: their new versions.
  Values sortRows(Value n, bool ascending, Value values, ArrayRef<std::pair<Value, Value>> matrices);
  // The reflection that leaves of column `line`, from row `first` to before `end`, only its first element beta: v takes
  // the place of the others, beta that of the first. Or of a row. Gives the matrix, beta and tau.
  Values makeReflection(Value matrix, Value line, Value first, Value end, bool alongRow);
  // The identity without a reflection: rows from `first` on and columns from `begin` to `end` of `matrix` times
  // I - tau v v', where v is 1 at `first` and `below(i)` under it. `space` is a vector of as many columns.
  // Gives the matrix and the space.
  Values reflect(Value matrix, Value space, Value first, Value rows, Value begin, Value end, Value tau,
                 llvm::function_ref<Value(Value matrix, Value i)> below);
};

// Runs `body` for each matrix of a batch of `count`; results as in emitRows.
SmallVector<importer::Tensor> forEachMatrix(importer::Emitter &emitter, OpFoldResult count, Type type,
                                            ArrayRef<importer::Tensor> results,
                                            llvm::function_ref<SmallVector<Value>(MatrixCode &, ValueRange)> body);

} // namespace mlir::heddle::numerics

#endif // HEDDLE_COMPILER_STAGES_IMPORT_EMIT_NUMERICS_MATRIXCODE_H
