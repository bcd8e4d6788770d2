// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rounding to integral values in terms of conversions, for processors that have no instruction for it.
#ifndef HEDDLE_COMPILER_CODEGEN_MATH_ROUNDINGPATTERNS_H
#define HEDDLE_COMPILER_CODEGEN_MATH_ROUNDINGPATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::heddle::codegen {

// math.floor, ceil, trunc, round and roundeven on f32 and f64, exact for all values, NaN and signed zero included.
void populateRoundingPatterns(RewritePatternSet &patterns);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_MATH_ROUNDINGPATTERNS_H
