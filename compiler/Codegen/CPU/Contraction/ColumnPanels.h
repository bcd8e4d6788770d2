// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The columns of a contraction's tile, copied to scratch memory: row after row of what is reduced, each as wide as the
// tile.
#ifndef HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_COLUMNPANELS_H
#define HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_COLUMNPANELS_H

#include "compiler/Codegen/CPU/Contraction/ContractionIndex.h"

namespace mlir::heddle::codegen {

class ColumnPanels {
public:
  // Scratch memory begins at byte `scratch` and has panelBytes() for each packed operand.
  ColumnPanels(const ContractionIndex &place, Value scratch) : place(place), scratch(scratch) {}

  // Copies the tile of columns where the place is, of its depth; from then on they are read from the copy.
  void pack();
  void drop() { memory.clear(); }
  bool empty() const { return memory.empty(); }

  // Calls for each operand that is copied.
  void forEach(function_ref<void(unsigned operand)> body) const;
  // Columns of a vector of the tile; `dims`: the op's loop indices.
  LaneValue load(unsigned operand, ArrayRef<LaneValue> dims, int64_t vector) const;

private:
  Value offsetOf(ArrayRef<LaneValue> dims, int64_t vector) const;
  void packTurned(unsigned operand);
  void packRow(unsigned operand, ArrayRef<Value> at);
  void packElements(unsigned operand, SmallVector<LaneValue> dims);

  const ContractionIndex &place;
  Value scratch;
  SmallVector<Value> begin, extents;       // of the reduction, that is copied
  llvm::MapVector<unsigned, Value> memory; // by operand
};

// Asks for columns ahead of their use, those of the reduction's index `at`: the hardware does not see that rows of
// columns follow one another, they lie pages apart. In short reductions the second-level cache is asked for the next
// tile's instead.
void prefetchColumns(const ContractionIndex &place, ArrayRef<LaneValue> dims, ArrayRef<LaneValue> columns,
                     ArrayRef<Value> at);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_COLUMNPANELS_H
