// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Padding around a value that a kernel computes: the value's nest writes where the pad's result has it, and a nest of
// its own fills the border. Nothing is computed first and copied then.
//
//   %p = tensor.pad %conv low[1, 1, 0] high[1, 1, 0]     // the kernel's result
//
// `%conv`'s nest has the result's memory, from element [1, 1, 0] on, with the result's strides.
#ifndef HEDDLE_COMPILER_CODEGEN_CPU_BORDER_H
#define HEDDLE_COMPILER_CODEGEN_CPU_BORDER_H

#include "compiler/Codegen/Emit/ElementEmitter.h"
#include "compiler/Target/CPU/CpuFeatures.h"

namespace mlir::heddle::codegen {

struct Nest;

// The pad that `value` is, where its source is computed by a structured op and can lie within it: one value for the
// whole border, no negative amounts. Null otherwise.
tensor::PadOp matchBorder(Value value);

// Where the pad's source lies in the memory of its result.
Buffer insideOf(ElementEmitter &emitter, tensor::PadOp pad, const Buffer &whole);

// Whether the position of the pad's result is in its border: a boolean.
Value isInBorder(ElementEmitter &emitter, tensor::PadOp pad, ArrayRef<LaneValue> index);

// Fills the border, by vectors of `width` along the last dimension.
void emitBorder(ElementEmitter &emitter, tensor::PadOp pad, const Buffer &whole, int64_t width, bool masks);

// The nest that does so.
Nest makeBorder(tensor::PadOp pad, const cpu::CpuFeatures &features);

// A pad of pixels of a few channels as one whose rows are single dimensions, longer than a vector: the memory of the
// result is the same. Anything else is given back as it is. For vectors that have masks.
Value flattenPixels(Value value);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_CPU_BORDER_H
