// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The exponential function on f32 in fewer instructions than upstream's polynomial.
#ifndef HEDDLE_COMPILER_STAGES_CODEGEN_EXPONENTIALPATTERNS_H
#define HEDDLE_COMPILER_STAGES_CODEGEN_EXPONENTIALPATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::heddle::codegen {

// math.exp on f32: infinite from the first x whose result is; exactly 1 at 0. Without `scaling` at most 1.6 ulp with
// fused multiply-add, 0 where the result would be subnormal. With it (x86's vscalef) vectors have at most 2.0 ulp,
// subnormal results included.
void populateExponentialPatterns(RewritePatternSet &patterns, bool scaling);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_STAGES_CODEGEN_EXPONENTIALPATTERNS_H
