// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much code a body becomes: for limits on what is compiled as one kernel, in which LLVM's time grows faster than
// its length.
#ifndef HEDDLE_COMPILER_DIALECT_BODYCOST_H
#define HEDDLE_COMPILER_DIALECT_BODYCOST_H

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Block.h"

namespace mlir::heddle {

// Of one element, in ops of about an instruction each, the terminator among them. Functions count as what code
// generation makes of them: a polynomial, or for those that it computes in f64, and functions of f64, several.
inline size_t countBodyOps(Block &body) {
  constexpr size_t kPolynomial = 12, kInDoubles = 32;
  size_t count = 0;
  for (Operation &op : body) {
    bool isOne =
        !isa<math::MathDialect>(op.getDialect()) ||
        isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp, math::FloorOp, math::FmaOp, math::RoundEvenOp,
            math::RoundOp, math::SqrtOp, math::TruncOp, math::CtPopOp, math::CountLeadingZerosOp,
            math::CountTrailingZerosOp, math::IsNaNOp, math::IsInfOp, math::IsFiniteOp>(op);
    bool isPolynomial =
        isa<math::ExpOp, math::Exp2Op, math::ExpM1Op, math::LogOp, math::Log1pOp, math::TanhOp, math::ErfOp>(op) &&
        !op.getResult(0).getType().isF64();
    count += isOne ? 1 : isPolynomial ? kPolynomial : kInDoubles;
  }
  return count;
}

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_DIALECT_BODYCOST_H
