// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Math functions as polynomials and arithmetic: a kernel calls no library.
#ifndef HEDDLE_COMPILER_CODEGEN_MATH_MATHEXPANSION_H
#define HEDDLE_COMPILER_CODEGEN_MATH_MATHEXPANSION_H

#include "mlir/Rewrite/FrozenRewritePatternSet.h"

#include <compare>

namespace mlir::heddle::codegen {

// What the processor has instructions for.
struct MathFeatures {
  bool fma = true;             // multiply and add, rounded once
  bool rounding = true;        // floor, ceil, trunc, round to even
  bool bfloatRounding = false; // f32 to bf16
  bool halfConversions = true; // f16 to f32 and back
  bool scaling = false;        // products with powers of two, x86's vscalef
  bool mayFuse = false;        // a compiler behind this one may fuse multiply and add, and estimate quotients

  auto operator<=>(const MathFeatures &) const = default;
};

// The expansion for a processor with these features. Made once for many kernels, as its patterns are many. Any number
// of threads may use one.
class MathExpansion {
public:
  MathExpansion(MLIRContext *context, const MathFeatures &features);

  // Expands what is inside `op`; errors: docs/design/codegen-numbers.md. Floating-point ops get the flag `contract`,
  // maxima and minima also `nsz`.
  LogicalResult run(Operation *op) const;

private:
  FrozenRewritePatternSet patterns;
};

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_MATH_MATHEXPANSION_H
