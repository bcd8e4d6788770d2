// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an operand's columns lie, from the layout that came with it (encoding.operands).
//
//   w[k, n] in [n / 16, k, 16]: columns 16, group 1, order (n, k)
//   w[k, n] in [n / 16, k / 4, 16, 4]: columns 16, group 4 along k, order (n, k)
#ifndef HEDDLE_COMPILER_CODEGEN_PLAN_PANELS_H
#define HEDDLE_COMPILER_CODEGEN_PLAN_PANELS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::heddle::codegen {

struct Panels {
  int64_t columns = 0;           // neighbours in memory, along the loop of the columns; 0: columns are not in panels
  int64_t group = 1;             // of so many elements along another loop each column has them side by side in a panel
  AffineExpr grouped;            // that loop, where there are groups
  SmallVector<AffineExpr> order; // the operand's index, one for each of its dimensions, outermost in memory first
  bool isWhole = false;          // nothing is cut in tiles but columns and, where there are groups, what they are of

  // In panels without groups.
  bool arePlain() const { return columns > 0 && group == 1; }
  // In panels of groups of `size` elements along the loop, which is the innermost in memory but the panel's own.
  bool areGroups(int64_t size, unsigned loop) const;
  // Whether the innermost dimensions in memory are panels, then these loops, and nothing else moves with the columns.
  bool endWith(unsigned lane, ArrayRef<unsigned> loops) const;
};

// Of an input of a structured op whose columns its loop `lane` walks.
Panels panelsOf(OpOperand &input, unsigned lane);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_PLAN_PANELS_H
