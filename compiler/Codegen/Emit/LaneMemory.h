// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores of the lanes' elements, where tensors have memory.
//
//   Buffer rows = memory.makeBuffer(binding, tensor);
//   memory.store(rows, index, value);   // one store, a masked one or a scatter, by what is known of `index`
#ifndef HEDDLE_COMPILER_CODEGEN_EMIT_LANEMEMORY_H
#define HEDDLE_COMPILER_CODEGEN_EMIT_LANEMEMORY_H

#include "compiler/Codegen/Emit/ControlFlow.h"
#include "compiler/Codegen/Emit/FunctionScalars.h"
#include "compiler/Dialect/Flow/IR/Pitch.h"

namespace mlir::heddle::codegen {

// Memory that holds (part of) a tensor: element `index` is at base + sum of (index[dims[i]] - origin[i]) * strides[i].
struct Buffer {
  Value memory; // memref<?xT>; booleans take a byte
  Type elementType;
  SmallVector<unsigned> dims;
  SmallVector<Value> strides;
  SmallVector<Value> origin; // null: 0
  Value base = {};           // null: 0
};

class LaneMemory : public ControlFlow {
public:
  LaneMemory(OpBuilder &builder, Location loc, FunctionScalars &scalars)
      : ControlFlow(builder, loc), scalars(scalars) {}

  // Row-major memory of the whole tensor; with a pitch, of a result that has it.
  Buffer makeBuffer(Value memory, Value tensor, const std::optional<flow::Pitch> &pitch = {});
  // The offset of the first lane's element in the buffer's memory.
  Value locateIn(const Buffer &buffer, ArrayRef<LaneValue> index) { return offsetIn(buffer, index).base; }
  // `tensor`: which the buffer holds, or a part of it.
  LaneValue load(const Buffer &buffer, Value tensor, ArrayRef<LaneValue> index);
  void store(const Buffer &buffer, ArrayRef<LaneValue> index, LaneValue value);
  // Asks for the line of an element that will be stored; the index may be outside.
  void prefetchStore(const Buffer &buffer, ArrayRef<LaneValue> index);
  Type memoryType(Type element) const { return element.isInteger(1) ? builder.getI8Type() : element; }

  FunctionScalars &scalars;
  // Whole vectors are stored past the caches; their addresses are multiples of their size, or of 64 bytes if that is
  // less. Others may see such stores late: a kernel that has some (`streamed`) ends with a fence.
  bool streaming = false, streamed = false;
  // 32-bit elements of a vector that one instruction puts in any order; 0: there is none.
  int64_t permutedLanes = 0;

protected:
  LaneValue offsetIn(const Buffer &buffer, ArrayRef<LaneValue> index);

private:
  // How many there are in memory that holds a whole tensor; null for memory that holds a part.
  Value countElements(const Buffer &buffer, Value tensor);
};

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_EMIT_LANEMEMORY_H
