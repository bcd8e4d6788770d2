// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results that are larger than the caches are written past them.
#ifndef HEDDLE_COMPILER_CODEGEN_CPU_STREAMING_H
#define HEDDLE_COMPILER_CODEGEN_CPU_STREAMING_H

#include "compiler/Codegen/Emit/ElementEmitter.h"
#include "compiler/Codegen/Plan/Nest.h"

namespace mlir::heddle::codegen {

// Whether the kernel computes functions that become polynomials: too much code for several copies.
bool computesFunctions(func::FuncOp func);

// What is computed for an element: code twice is too much of polynomials for a size that may never come.
enum class Streamed { Anything, NoFunctions };

// Whether the result may be so large that it is written past the caches. Where only the call knows the size, not if
// `what` rules it out.
bool mayStream(const PlanCommon &nest, FunctionScalars &scalars, Streamed what = Streamed::Anything);
// Emits `body` for a result that is written past the caches and for one that is not, chosen by its size and address at
// run time; only the latter where the size is known to be too small or vectors may not be whole. `rowElements`: of the
// contiguous pieces that `body` writes, whose first one begins at the result's beginning.
void emitStreaming(const PlanCommon &nest, ElementEmitter &emitter, const Buffer &output, Value rowElements,
                   function_ref<void()> body, Streamed what = Streamed::Anything);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_CPU_STREAMING_H
