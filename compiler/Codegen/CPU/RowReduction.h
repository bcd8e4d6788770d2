// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_COMPILER_CODEGEN_CPU_ROWREDUCTION_H
#define HEDDLE_COMPILER_CODEGEN_CPU_ROWREDUCTION_H

#include "compiler/Codegen/Emit/ElementEmitter.h"

namespace mlir::heddle::codegen {

// Reduces to registers with vectors along the op's innermost reduction. `index`: of result 0. `oneVector`: there is
// one reduction, of at most `width` steps.
SmallVector<LaneValue> emitRowReduction(ElementEmitter &emitter, linalg::GenericOp op, ArrayRef<LaneValue> index,
                                        int64_t width, bool masks, bool oneVector);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_CPU_ROWREDUCTION_H
