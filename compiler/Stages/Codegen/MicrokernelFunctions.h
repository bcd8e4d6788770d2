// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of microkernels in the LLVM dialect. A program that calls one declares it; whoever compiles the program makes
// its code (codegen-emit-microkernels).
#ifndef HEDDLE_COMPILER_STAGES_CODEGEN_MICROKERNELFUNCTIONS_H
#define HEDDLE_COMPILER_STAGES_CODEGEN_MICROKERNELFUNCTIONS_H

#include "compiler/Stages/Codegen/MicrokernelForm.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"

namespace mlir::heddle::codegen {

// Calls the function, and declares it in the op's kernel.program.
void populateMicrokernelPatterns(const LLVMTypeConverter &converter, RewritePatternSet &patterns);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_STAGES_CODEGEN_MICROKERNELFUNCTIONS_H
