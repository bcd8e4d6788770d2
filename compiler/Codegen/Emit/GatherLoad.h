// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors of elements that lie anywhere, but often near each other: repeated or interleaved elements, a row that is
// resized.
#ifndef HEDDLE_COMPILER_CODEGEN_EMIT_GATHERLOAD_H
#define HEDDLE_COMPILER_CODEGEN_EMIT_GATHERLOAD_H

#include "compiler/Codegen/Emit/ControlFlow.h"

namespace mlir::heddle::codegen {

// Lane i holds memory[offsets[i]], for lanes that are on. `size`: of the memory in elements, null where it is not
// known. `permutedLanes`: elements of 32 bits that one instruction puts in any order, 0 where the processor has none.
//
// Offsets that differ from each other by constants become a few contiguous loads and shuffles, which read nothing
// between the first and the last element of each. Others of 32-bit elements are looked at when the kernel runs: one
// load and one permutation where all lie in one vector, which starts inside the memory; else, and where the processor
// has no permutation, a gather.
Value loadGathered(ControlFlow &flow, VectorType type, Value memory, Value offsets, Value size, int64_t permutedLanes);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_EMIT_GATHERLOAD_H
