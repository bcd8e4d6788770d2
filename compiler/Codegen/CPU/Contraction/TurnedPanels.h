// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Panels of columns whose neighbours lie along what is reduced: keys of attention, the right side of a product with a
// transposed matrix. Squares of them are loaded as they lie, turned in registers and stored as rows of the panel.
#ifndef HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_TURNEDPANELS_H
#define HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_TURNEDPANELS_H

#include "compiler/Codegen/Emit/ElementEmitter.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::heddle::codegen {

// A row of a panel: `vectors` vectors of `width` columns, all for one index of the innermost reduction.
struct TurnedPanel {
  linalg::GenericOp op;
  unsigned operand;   // of the op
  unsigned laneLoop;  // along which columns lie
  unsigned innermost; // the reduction their elements are neighbours along
  int64_t width, vectors;
  Value firstColumn;
  Value lastColumn; // columns beyond it are copies of it; null: all are there
};

// Whether vectors of `width` elements of the operand lie along the op's loop `innermost`, and can be turned.
bool isTurned(linalg::GenericOp op, unsigned operand, unsigned laneLoop, unsigned innermost, int64_t width);

// Copies rows [begin, end) of the panel, `end - begin` a multiple of the width. `dims`: the op's loop indices, of which
// those of columns and of the innermost reduction are not read. `store` gets a row's index, the number of a vector in
// it and its elements.
void emitTurnedPanel(ElementEmitter &emitter, const TurnedPanel &panel, ArrayRef<LaneValue> dims, Value begin,
                     Value end, function_ref<void(Value row, int64_t vector, Value elements)> store);

// The transpose of a square of as many vectors as they have elements, a power of two.
SmallVector<Value> turnSquare(OpBuilder &builder, Location loc, ArrayRef<Value> rows);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_TURNEDPANELS_H
