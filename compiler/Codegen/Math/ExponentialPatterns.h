// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The exponential function on f32 in fewer instructions than upstream's polynomial.
#ifndef HEDDLE_COMPILER_CODEGEN_MATH_EXPONENTIALPATTERNS_H
#define HEDDLE_COMPILER_CODEGEN_MATH_EXPONENTIALPATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::heddle::codegen {

// math.exp on f32: at most 2.0 ulp, subnormal results included; infinite from the first x whose result is; exactly 1 at
// 0. With fused multiply-add the same bits in scalars and vectors and on all processors: `scaling` (x86's vscalef, in
// vectors) only saves instructions.
void populateExponentialPatterns(RewritePatternSet &patterns, bool scaling);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_MATH_EXPONENTIALPATTERNS_H
