// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over vectors and positions that all strategies have.
#ifndef HEDDLE_COMPILER_CODEGEN_EMIT_VECTORLOOPS_H
#define HEDDLE_COMPILER_CODEGEN_EMIT_VECTORLOOPS_H

#include "compiler/Codegen/Emit/ElementEmitter.h"

namespace mlir::heddle::codegen {

// Runs `body` with `lanes` set for each vector of [begin, end) along one dimension: full vectors, `together` of them a
// step, then the rest by mask or one by one.
void forEachVector(ElementEmitter &emitter, Value begin, Value end, int64_t width, bool masks,
                   function_ref<void(LaneValue)> body, int64_t together = 1);
// The same of [0, end), which is at most one vector.
void forOneVector(ElementEmitter &emitter, Value end, int64_t width, function_ref<void(LaneValue)> body);
// The mask of the lanes below `count`.
Value maskBelow(ElementEmitter &emitter, Value count, int64_t width);
// Splits a linear position; the last size varies fastest.
SmallVector<Value> delinearize(ElementEmitter &emitter, Value linear, ArrayRef<Value> sizes);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_EMIT_VECTORLOOPS_H
