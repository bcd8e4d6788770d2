// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sums of a contraction's tiles, by dot-product instructions.
//
//   DotProducts products(nest, emitter, scratch);
//   products.packRow(row, slot);                         // for each row of a block, where rows are copied
//   products.prepare(columns);                           // once for a tile of columns
//   sums = products.accumulate(rows, slots, initial);    // for each tile of rows
#ifndef HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_DOTPRODUCTS_H
#define HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_DOTPRODUCTS_H

#include "compiler/Codegen/CPU/Contraction/DotOperands.h"

namespace mlir::heddle::codegen {

class DotProducts {
public:
  DotProducts(const ContractionPlan &nest, ElementEmitter &emitter, Value scratch);

  // Copies a row, at the op's loop indices `dims`, to be number `slot` of its block.
  void packRow(ArrayRef<LaneValue> dims, Value slot) { operands.packRow(dims, slot); }
  // Copies the columns to scratch where they are not in groups yet.
  void prepare(DotColumns tile);
  // `rows`: the op's loop indices at each row of a tile, `slots`: their numbers in the block; `initial` and the result:
  // vectors of accumulators, those of a row one after the other. `loops` emits the reduction's.
  SmallVector<Value> accumulate(ArrayRef<SmallVector<LaneValue>> rows, ArrayRef<Value> slots,
                                SmallVector<Value> initial, DotOperands::Loops loops);

  // Where the operands of a tile of rows lie, for a function that computes its sums (kernel.microkernel): `first` and
  // `second` are the op's loop indices at its first two rows, `slot` the number of the first in its block.
  struct Places {
    DotMatrix rows, columns; // columns: of the first panel; stride: from step to step
    DotOperands::Walk walk;
    Value first; // memory of what sums begin with; null: of zeros
  };
  Places locate(ArrayRef<LaneValue> first, ArrayRef<LaneValue> second, Value slot);

private:
  VectorType accumulatorType() const;
  Value dot(Value accumulator, Value row, Value column);
  void computeCorrection();

  const ContractionConfig &config;
  const IntegerContraction &form;
  ElementEmitter &emitter;
  LaneBuilder &lanes;
  DotOperands operands;
  DotColumns columns;
  Value correction; // memory: what is added to each column's sums as rows are shifted
};

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_DOTPRODUCTS_H
