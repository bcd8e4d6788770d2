// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How tiles cover the rows of a block of a contraction, so that none computes rows that are not there.
#ifndef HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_ROWCOVER_H
#define HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_ROWCOVER_H

#include "compiler/Codegen/CPU/Contraction/ContractionIndex.h"

namespace mlir::heddle::codegen {

enum class TileShape {
  Exact, // as below
  Fixed, // one shape (tile registers). What is left is a full tile: of known rows one that ends with them and gives out
         // only these (RowTile::skip), of others one whose last rows are left out.
  Open,  // full tiles and what is left are open tiles of one loop: the same code computes any number of rows
  Run,   // all rows of the innermost dimension are one tile, whose code has loops of its own (RowTile::count)
};

// Emits loops over the tiles of the block where the place is, with `body` for each kind of tile. Along each dimension
// of rows full tiles come first. What is left is
//   a smaller tile, where the number of rows is known;
//   else one open tile, or two that share the last full tile's rows with it (RowTile::open);
//   else, where two dimensions of a tile have unknown rows, a full tile whose last rows are left out (RowTile::clamp).
void forEachRowTile(const ContractionIndex &place, TileShape shape, function_ref<void(const RowTile &)> body);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_ROWCOVER_H
