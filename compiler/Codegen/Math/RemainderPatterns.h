// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The remainder of floats without library calls.
#ifndef HEDDLE_COMPILER_CODEGEN_MATH_REMAINDERPATTERNS_H
#define HEDDLE_COMPILER_CODEGEN_MATH_REMAINDERPATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::heddle::codegen {

// Expands arith.remf on f32 and f64, exactly as C's fmod has it: a long division of the mantissas, one bit of the
// quotient a step. As many steps as the exponents of the operands differ, the most of a vector's lanes.
void populateRemainderPatterns(RewritePatternSet &patterns);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_MATH_REMAINDERPATTERNS_H
