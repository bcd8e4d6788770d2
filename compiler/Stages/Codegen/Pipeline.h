// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stage `codegen`: executables become machine code, a flow.variant for each executable target of the module's devices.
#ifndef HEDDLE_COMPILER_STAGES_CODEGEN_PIPELINE_H
#define HEDDLE_COMPILER_STAGES_CODEGEN_PIPELINE_H

#include "compiler/Target/TargetRegistry.h"

namespace mlir::heddle {

// Executables compile at the same time where the context has threading enabled.
void buildCodegenPipeline(OpPassManager &pm, const CodegenOptions &options = {});

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_CODEGEN_PIPELINE_H
