// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_COMPILER_CODEGEN_CPU_ROWSNEST_H
#define HEDDLE_COMPILER_CODEGEN_CPU_ROWSNEST_H

#include "compiler/Codegen/Emit/ElementEmitter.h"
#include "compiler/Codegen/Plan/Nest.h"

namespace mlir::heddle::codegen {

// One row into `output`; `index` of the value, its inner dimensions are not used. Scratch memory as the plan's strategy
// has it begins at byte `scratch`.
void emitRow(const RowsPlan &nest, ElementEmitter &emitter, ArrayRef<LaneValue> index, const Buffer &output,
             Value scratch);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_CPU_ROWSNEST_H
