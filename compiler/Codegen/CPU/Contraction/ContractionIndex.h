// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a workgroup of a contraction is among the op's loops: its rows, its columns and what it reduces.
#ifndef HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_CONTRACTIONINDEX_H
#define HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_CONTRACTIONINDEX_H

#include "compiler/Codegen/CPU/Contraction/ContractionSpace.h"
#include "compiler/Codegen/Emit/ElementEmitter.h"

namespace mlir::heddle::codegen {

// Emits index arithmetic where the emitter stands. `moveTo` comes first.
class ContractionIndex {
public:
  ContractionIndex(const ContractionPlan &nest, ElementEmitter &emitter);

  // To a position in the grid of the space: batch dimensions, blocks of rows, a tile of columns.
  void moveTo(ArrayRef<Value> at);

  // The op's loop indices at a row of a tile; of reductions those that the place's depth begins with.
  SmallVector<LaneValue> tileDims(ArrayRef<Value> row) const;
  // The indices `at` of the depth's loops as those of the op's.
  SmallVector<Value> toReductions(ArrayRef<Value> at) const;
  // The positions of the tile's rows, the last dimension innermost.
  SmallVector<SmallVector<Value>> tileRows(const RowTile &tile) const;
  // Whether the rest of the rows has code for each number of them.
  bool writesOutRows() const;
  // Emits a loop over the rows of the workgroup's block, with `body` for each.
  void forEachBlockRow(function_ref<void(ArrayRef<Value> row)> body) const;
  // The number of a row in the block, the last dimension innermost.
  Value slotOf(ArrayRef<Value> row) const;
  LaneValue columnLanes(int64_t vector) const;
  // The mask of a column vector, null when all its lanes are inside.
  Value columnMask(int64_t vector) const;
  // The op's loop along the columns, and along a dimension of the nest's value.
  unsigned laneLoop() const { return loopOf(*nest.laneDim); }
  unsigned loopOf(unsigned dim) const;
  SmallVector<LaneValue> applyMap(AffineMap map, ArrayRef<LaneValue> dims) const;
  void forEachColumnOperand(function_ref<void(Value tensor, AffineMap map)> body) const;

  const ContractionPlan &nest;
  ElementEmitter &emitter;
  LaneBuilder &lanes;
  linalg::GenericOp op;
  ContractionSpace space;
  SmallVector<Value> extents;              // of the reduction loops
  SmallVector<unsigned> reductions;        // which loops these are
  SmallVector<LaneValue> index;            // of the nest's value; row and lane dimensions are set per tile
  SmallVector<Value> blockBegin, blockEnd; // rows of the workgroup
  // The block of the reduction where the place is: all there is where nothing moved it (forEachDepthBlock).
  SmallVector<Value> depthBegin; // of each reduction loop; none: 0
  SmallVector<Value> depthExtents;
  size_t depthCut = 0; // the next block is further along this reduction loop
  Value firstColumn, columnsLeft;
  bool ragged = false; // the tile of columns may not be full
};

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_CONTRACTIONINDEX_H
