// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Register tiles of windows.
#ifndef HEDDLE_COMPILER_CODEGEN_CPU_WINDOWTILE_H
#define HEDDLE_COMPILER_CODEGEN_CPU_WINDOWTILE_H

#include "compiler/Codegen/Emit/ElementEmitter.h"
#include "compiler/Codegen/Plan/Nest.h"
#include "compiler/Codegen/Plan/Window.h"

namespace mlir::heddle::codegen {

// How a nest of windows reads what its windows move along.
struct WindowReads {
  explicit WindowReads(const WindowsPlan &nest);

  // How far apart neighbouring positions of a row read the input.
  int64_t stepOfColumns();

  linalg::GenericOp op;
  WindowInput input;
  AffineMap inputMap;
  unsigned columnDim;                       // the nest's dimension of positions along a row
  unsigned columnLoop;                      // the op's loop over them
  unsigned inputColumn = 0;                 // the input's dimension that moves along the row
  SmallVector<unsigned> padded, reductions; // the input's dimensions that have padding; the op's loops over a window
  bool alongPositions;                      // vectors lie along a row, not along channels
};

// Computes and stores `height` rows of `length` positions, or vectors of the width that the emitter's lanes have, of a
// nest of windows. `index`: of the first of them, in the nest's dimensions. Positions are inside of the result;
// windows may reach into the input's padding.
void emitWindowTile(const WindowsPlan &nest, ElementEmitter &emitter, const Buffer &output, ArrayRef<LaneValue> index,
                    int64_t height, int64_t length);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_CPU_WINDOWTILE_H
