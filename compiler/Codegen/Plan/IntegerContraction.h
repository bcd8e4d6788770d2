// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions of 8-bit integers to 32 bits by the processor's dot-product instructions.
//
// `matchIntegerContraction` recognises a linalg.generic that adds products of two extended 8-bit elements. The
// planner then gives the nest this form, and DotProducts computes its tiles: it walks the innermost reduction in groups
// of as many elements as one instruction sums. Exact: 32-bit sums wrap as the generic's do. docs/design/quantisation.md
#ifndef HEDDLE_COMPILER_CODEGEN_PLAN_INTEGERCONTRACTION_H
#define HEDDLE_COMPILER_CODEGEN_PLAN_INTEGERCONTRACTION_H

#include "compiler/Target/CPU/CpuFeatures.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::heddle::codegen {

struct IntegerContraction {
  cpu::IntegerDot dot;
  unsigned row, column; // operands; the column operand has the loop of the lanes
  bool rowSigned, columnSigned;
  int64_t panel; // columns are stored (n floordiv panel, k…, k floordiv 4, n mod panel, k mod 4), as Quads and Tiles
                 // want them; 0: not

  int64_t group() const { return dot == cpu::IntegerDot::Pairs ? 2 : 4; }
  unsigned partBits() const { return dot == cpu::IntegerDot::Pairs ? 16 : 8; }
  // The instruction wants an unsigned and a signed byte: then rows are shifted by 128, and what that adds is taken from
  // the accumulators.
  bool shiftsRows() const { return dot == cpu::IntegerDot::Quads && rowSigned == columnSigned; }
  bool rowIsUnsigned() const { return shiftsRows() ? rowSigned : !rowSigned; }
};

// The form for an op whose result's lanes walk its loop `lane`; none when it is something else or `dot` is None.
std::optional<IntegerContraction> matchIntegerContraction(linalg::GenericOp op, unsigned lane, cpu::IntegerDot dot);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_PLAN_INTEGERCONTRACTION_H
