// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Columns that the second-level cache is asked for while a tile of rows uses others: its share of the next tile of
// columns, or of the next block of the reduction.
#ifndef HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_NEXTCOLUMNS_H
#define HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_NEXTCOLUMNS_H

#include "compiler/Codegen/CPU/Contraction/ContractionIndex.h"

namespace mlir::heddle::codegen {

class NextColumns {
public:
  // Nothing is asked for until `begin`.
  explicit NextColumns(const ContractionIndex &place) : place(place) {}

  void begin(const RowTile &tile);
  void drop() { first = nullptr; }
  // At a step of the tile's sums; `dims`: of its first row, `at`: indices of the op's reductions.
  void ask(ArrayRef<LaneValue> dims, ArrayRef<Value> at) const;

  // Lines of each row of the next block that a tile of rows asks for, and the first column of them.
  int64_t linesOfBlock() const;
  Value firstOfBlock(const RowTile &tile) const;

private:
  Value rowInBlock(const RowTile &tile) const;
  int64_t lineColumns() const;

  const ContractionIndex &place;
  Value first; // element of the next tile of columns, or column of the next block
  int64_t rows = 0;
};

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_NEXTCOLUMNS_H
