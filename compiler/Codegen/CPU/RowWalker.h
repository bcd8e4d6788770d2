// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What nests that walk rows have in common: how many rows there are, how many make a workgroup, and loops over them.
#ifndef HEDDLE_COMPILER_CODEGEN_CPU_ROWWALKER_H
#define HEDDLE_COMPILER_CODEGEN_CPU_ROWWALKER_H

#include "compiler/Codegen/Emit/ElementEmitter.h"
#include "compiler/Codegen/Plan/Nest.h"

namespace mlir::heddle::codegen {

struct RowSpace {
  SmallVector<Value> sizes; // of the dimensions that workgroups walk, in order; of columns, in vectors along the lanes
  Value total, perWorkgroup;
  Value lanes; // elements along the lanes; null for scalars
  Value work;  // elements, or steps of a reduction, of one row

  Value workgroups(FunctionScalars &scalars) const;
  // Sets the number of rows of a workgroup, which has at least kElementsPerWorkgroup elements.
  void setWork(Value rowWork, FunctionScalars &scalars);
};

// `work`, or the most steps of one of the reductions.
Value mostSteps(Value work, ArrayRef<RowStep> steps, FunctionScalars &scalars);

// Emits the rows of a workgroup.
class RowWalker {
public:
  RowWalker(const PlanCommon &nest, ArrayRef<unsigned> rowDims, ElementEmitter &emitter, const Buffer &output,
            RowSpace space);

protected:
  // The rows [begin, end) of a workgroup.
  std::pair<Value, Value> rangeOf(Value workgroup);
  // Whether the indices of a row are quotients by sizes that only the call knows.
  bool dividesBySizes() const;
  // The rows of [begin, end), in runs along their last dimension: a short row takes less time than the divisions.
  void forEachIndex(Value begin, Value end, ArrayRef<Value> grid, function_ref<void(ArrayRef<Value>)> body);
  // The value's index of a row, by its number or by its position in the row dimensions.
  SmallVector<LaneValue> indexOf(Value row);
  SmallVector<LaneValue> indexAt(ArrayRef<Value> at);
  // Calls `body` for each row of [begin, end), one after the other.
  void forEachRow(Value begin, Value end, function_ref<void(SmallVector<LaneValue> &index)> body);
  // Loops over the dimensions `dims` of the index.
  void walk(SmallVector<LaneValue> &index, ArrayRef<unsigned> dims, ArrayRef<Value> extent, function_ref<void()> body);
  void walkInner(SmallVector<LaneValue> &index, ArrayRef<unsigned> dims, function_ref<void()> body);
  void store(ArrayRef<LaneValue> index);

  Value value;
  SmallVector<unsigned> rowDims;
  ElementEmitter &emitter;
  const Buffer &output;
  LaneBuilder &lanes;
  RowSpace space;
  SmallVector<Value> sizes; // of the value
};

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_CPU_ROWWALKER_H
