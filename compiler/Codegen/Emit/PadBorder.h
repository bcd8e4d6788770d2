// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the source of a pad, and what the pad adds to it, lie in the pad's result.
#ifndef HEDDLE_COMPILER_CODEGEN_EMIT_PADBORDER_H
#define HEDDLE_COMPILER_CODEGEN_EMIT_PADBORDER_H

#include "compiler/Codegen/Emit/ElementEmitter.h"

namespace mlir::heddle::codegen {

// Where the source begins and ends along a dimension of the result. Amounts are known.
Value beginOfSource(FunctionScalars &scalars, tensor::PadOp pad, int64_t dim);
Value endOfSource(FunctionScalars &scalars, tensor::PadOp pad, int64_t dim);

// Where the pad's source lies in the memory of its result.
Buffer insideOf(ElementEmitter &emitter, tensor::PadOp pad, const Buffer &whole);

// Whether the position of the pad's result is in its border: a boolean.
Value isInBorder(ElementEmitter &emitter, tensor::PadOp pad, ArrayRef<LaneValue> index);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_EMIT_PADBORDER_H
