// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What consumes the sums of a contraction, from memory.
#ifndef HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_TILEEPILOGUE_H
#define HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_TILEEPILOGUE_H

#include "compiler/Codegen/CPU/Contraction/ContractionIndex.h"

namespace mlir::heddle::codegen {

// The nest's value for the rows of `tile` and `vectors` of columns, into `output`. Their sums lie in `sums` as
// `tile.extent` says, `stride` elements from one row to the next.
void emitTileEpilogue(const ContractionIndex &place, const RowTile &tile, Value sums, int64_t stride, int64_t vectors,
                      const Buffer &output);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_TILEEPILOGUE_H
