// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The code of a contraction's blocks: what its strategy emits, and chains and convolutions by fewer products beside
// their own steps.
#ifndef HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_CONTRACTIONNEST_H
#define HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_CONTRACTIONNEST_H

#include "compiler/Codegen/Emit/ElementEmitter.h"
#include "compiler/Codegen/Plan/Nest.h"

namespace mlir::heddle::codegen {

// One block: tiles of rows x one tile of columns. `number`: of the grid; `first`: the block that this call began with,
// since which scratch has what the block before left there. `scratch`: the byte at which scratch memory begins.
void emitContraction(const ContractionPlan &nest, ElementEmitter &emitter, Value number, Value first,
                     const Buffer &output, Value scratch);

// One tile of columns of one block; `at`: batch dimensions, then blocks of rows, then tiles of columns.
void emitContractionTile(const ContractionPlan &nest, ElementEmitter &emitter, ArrayRef<Value> at, const Buffer &output,
                         Value scratch);

// All tiles of columns of one block; `at`: batch dimensions, then blocks of rows.
void emitContractionBlock(const ContractionPlan &nest, ElementEmitter &emitter, ArrayRef<Value> at,
                          const Buffer &output, Value scratch);

// The register tile in words: rows x vectors x width, and what is copied.
std::string describeTile(const ContractionPlan &nest);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_CONTRACTIONNEST_H
