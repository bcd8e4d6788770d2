// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of what a contraction reduces (ContractionConfig::depth). Each is summed by itself, then added to those before
// it: rounding errors grow with the length of a block and the number of blocks, not with all there is. Where blocks are
// outside of the tiles of rows, what a block reads stays in the caches for all of these.
#ifndef HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_DEPTHBLOCKS_H
#define HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_DEPTHBLOCKS_H

#include "compiler/Codegen/CPU/Contraction/ContractionIndex.h"

namespace mlir::heddle::codegen {

// Emits a loop over the blocks, at least one, with `body` for each: the place's depth is then that of the block.
void forEachDepthBlock(ContractionIndex &place, function_ref<void(Value isFirst)> body);

// The sums of rows and a tile of columns, in memory, while blocks are added: the place's block of rows, or one tile.
class DepthSums {
public:
  // Of the place's block of rows: in scratch memory from byte `scratch` on, which has bytes() of it.
  DepthSums(const ContractionIndex &place, Value scratch);
  static Value bytes(const ContractionPlan &nest, FunctionScalars &scalars);
  // Of one tile: one row after the other, as wide as the tile is.
  static DepthSums ofTile(const ContractionIndex &place, Value memory) { return {place, memory, true}; }

  // Adds the sums of a tile, its first row's vectors first; sets them where `isFirst`.
  void add(const RowTile &tile, int64_t vectors, ArrayRef<Value> sums, Value isFirst) const;
  // The same of a tile whose sums lie in memory, as many rows as it counts.
  void addFrom(const RowTile &tile, int64_t vectors, Value tileMemory, Value isFirst) const;
  // All rows of the block.
  RowTile rowsOfBlock() const;
  Value getMemory() const { return memory; }

private:
  DepthSums(const ContractionIndex &place, Value memory, bool isTile) : place(place), memory(memory), isTile(isTile) {}
  Value slotOf(ArrayRef<Value> row) const;
  Value load(Value from, Value offset) const;
  void addVector(Value slot, int64_t vectors, int64_t vector, Value sum, bool sets) const;

  const ContractionIndex &place;
  Value memory;
  bool isTile = false;
};

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_DEPTHBLOCKS_H
