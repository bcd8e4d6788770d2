// Padding around a value that a kernel computes: the value's nest writes where the pad's result has it, and a nest of
// its own fills the border. Nothing is computed first and copied then.
//
//   %p = tensor.pad %conv low[1, 1, 0] high[1, 1, 0]     // the kernel's result
//
// `%conv`'s nest has the result's memory, from element [1, 1, 0] on, with the result's strides.
#ifndef HEDDLE_COMPILER_CODEGEN_BORDER_H
#define HEDDLE_COMPILER_CODEGEN_BORDER_H

#include "compiler/Codegen/ElementEmitter.h"

namespace mlir::heddle::codegen {

// The pad that `value` is, where its source is computed by a structured op and can lie within it: one value for the
// whole border, no negative amounts. Null otherwise.
tensor::PadOp matchBorder(Value value);

// Where the pad's source lies in the memory of its result.
Buffer insideOf(ElementEmitter &emitter, tensor::PadOp pad, const Buffer &whole);

// Whether the position of the pad's result is in its border: a boolean.
Value isInBorder(ElementEmitter &emitter, tensor::PadOp pad, ArrayRef<LaneValue> index);

// Fills the border, by vectors of `width` along the last dimension.
void emitBorder(ElementEmitter &emitter, tensor::PadOp pad, const Buffer &whole, int64_t width, bool masks);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_BORDER_H
