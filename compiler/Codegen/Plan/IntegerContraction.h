// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions that the processor's dot-product instructions compute: 8-bit integers to 32 bits, bf16 to f32.
//
// They are sums of products of two operands' elements, each widened (Analysis/ProductFactors.h). The planner gives the
// nest this form, and DotProducts computes its tiles: it walks the innermost reduction in groups of as many elements as
// one instruction sums. Sums of integers wrap as the generic's do. docs/design/quantisation.md
#ifndef HEDDLE_COMPILER_CODEGEN_PLAN_INTEGERCONTRACTION_H
#define HEDDLE_COMPILER_CODEGEN_PLAN_INTEGERCONTRACTION_H

#include "compiler/Target/CPU/CpuFeatures.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::heddle::codegen {

struct IntegerContraction {
  cpu::IntegerDot dot;  // Pairs, too, of bf16, whose parts are the elements as they are
  unsigned row, column; // operands; the column operand has the loop of the lanes
  bool rowSigned, columnSigned;
  bool shifts;   // of bytes of these signs Quads have no instruction: rows are shifted by 128, which gives them the
                 // other sign, and what that adds is taken from the accumulators
  bool isFloat;  // bf16
  int64_t panel; // columns are stored (n floordiv panel, k…, k floordiv g, n mod panel, k mod g), as Quads and Tiles
                 // want them, in groups of g = storedGroup(); 0: not

  int64_t group() const { return dot == cpu::IntegerDot::Pairs ? 2 : 4; }
  int64_t storedGroup() const { return isFloat ? 2 : 4; }
  unsigned partBits() const { return dot == cpu::IntegerDot::Pairs ? 16 : 8; }
  // Elements become longer before they are multiplied.
  bool widens() const { return !isFloat && partBits() != 8; }
  bool shiftsRows() const { return dot == cpu::IntegerDot::Quads && shifts; }
  // Of what is multiplied.
  bool rowPartsAreSigned() const { return !isFloat && (widens() || rowSigned != shiftsRows()); }
  bool columnPartsAreSigned() const { return !isFloat && (widens() || columnSigned); }
};

// The form for an op whose result's lanes walk its loop `lane`; none when it is something else or the processor has no
// instruction for it.
std::optional<IntegerContraction> findIntegerContraction(linalg::GenericOp op, unsigned lane,
                                                         const cpu::CpuFeatures &features);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_PLAN_INTEGERCONTRACTION_H
