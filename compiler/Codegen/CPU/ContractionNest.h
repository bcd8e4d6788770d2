// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTIONNEST_H
#define HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTIONNEST_H

#include "compiler/Codegen/CPU/Strategy.h"

namespace mlir::heddle::codegen {

// One block: tiles of rows x one tile of columns.
void emitContraction(const ContractionPlan &nest, ElementEmitter &emitter, const Workgroup &at);

// One tile of columns of one block; `at`: batch dimensions, then blocks of rows, then tiles of columns.
void emitContractionTile(const ContractionPlan &nest, ElementEmitter &emitter, ArrayRef<Value> at, const Buffer &output,
                         Value scratch);

// All tiles of columns of one block; `at`: batch dimensions, then blocks of rows.
void emitContractionBlock(const ContractionPlan &nest, ElementEmitter &emitter, ArrayRef<Value> at,
                          const Buffer &output, Value scratch);

// The register tile in words: rows x vectors x width, and what is copied.
std::string describeTile(const ContractionPlan &nest);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTIONNEST_H
