// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What products have in common, whether their operands come through shared memory (GpuPanels) or not (GpuTile).
#ifndef HEDDLE_COMPILER_CODEGEN_GPU_GPUPRODUCTEMITTER_H
#define HEDDLE_COMPILER_CODEGEN_GPU_GPUPRODUCTEMITTER_H

#include "compiler/Codegen/Emit/ElementEmitter.h"
#include "compiler/Codegen/GPU/GpuStrategy.h"

namespace mlir::heddle::codegen {

// The value's only reduction, with one result that is read at one position; else none.
std::optional<NeededOp> findProduct(const NestAnalysis &analysis, SmallVector<int64_t> &position);

// The elements that one invocation computes of a value, whose only reduction is `op`.
class ProductEmitter {
protected:
  ProductEmitter(Value value, linalg::GenericOp op, ArrayRef<int64_t> position, ElementEmitter &emitter,
                 const Buffer &output)
      : value(value), op(op), position(position), emitter(emitter), lanes(emitter.lanes), output(output),
        sizes(emitter.scalars.sizes(value)) {}

  Value product(ArrayRef<unsigned> dims) {
    return emitter.scalars.product(llvm::map_to_vector(dims, [&](unsigned dim) { return sizes[dim]; }));
  }
  // An index below the size, and whether it was before.
  std::pair<LaneValue, Value> clamp(LaneValue i, Value size);
  // Sets the dimensions of one linear position; the last varies fastest.
  void delinearize(SmallVector<LaneValue> &at, ArrayRef<unsigned> dims, LaneValue linear);
  // Elements past the end are computed as the last ones are, and not stored.
  void placeElements(SmallVector<LaneValue> at, ArrayRef<unsigned> rowDims, ArrayRef<LaneValue> rows,
                     ArrayRef<unsigned> columnDims, ArrayRef<LaneValue> columns);
  // The op's loops for an element of the value; reductions at 0.
  SmallVector<LaneValue> loopDims(ArrayRef<LaneValue> at);
  SmallVector<Value> initialValues();
  // Stores the value's elements, given the op's.
  void store(ArrayRef<Value> totals);

  Value value;
  linalg::GenericOp op;
  ArrayRef<int64_t> position;
  ElementEmitter &emitter;
  LaneBuilder &lanes;
  const Buffer &output;
  SmallVector<Value> sizes;
  SmallVector<SmallVector<LaneValue>> index; // of the elements, row by row
  SmallVector<Value> inside;
};

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_GPU_GPUPRODUCTEMITTER_H
