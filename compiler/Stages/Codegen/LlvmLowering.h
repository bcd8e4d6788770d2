// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From loops over memory to the LLVM dialect, for targets that LLVM compiles for.
#ifndef HEDDLE_COMPILER_STAGES_CODEGEN_LLVMLOWERING_H
#define HEDDLE_COMPILER_STAGES_CODEGEN_LLVMLOWERING_H

#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"

namespace mlir::heddle::codegen {

// A one-dimensional memref on memory we know only the address of. Its size is never asked for.
Value makeMemref(OpBuilder &builder, Location loc, const LLVMTypeConverter &converter, Type type, Value pointer);

// The conversion of loops for one executable format, such as "elf-x86_64". To make its patterns for each
// kernel took a seventh of the pass's time. Any number of threads may use one.
class LoopsToLLVM {
public:
  LoopsToLLVM(MLIRContext *context, StringRef format);
  LoopsToLLVM(const LoopsToLLVM &) = delete;
  LoopsToLLVM &operator=(const LoopsToLLVM &) = delete;

  const LLVMTypeConverter &getConverter() const { return converter; }

  // Converts a function of a kernel.program whose ops of the dialect kernel are lowered, but for instructions
  // (Codegen/ISA), which become those of the format, and calls of microkernels, whose functions the program declares
  // then. Emits an error for an op that has no counterpart.
  LogicalResult convert(func::FuncOp kernel) const;

private:
  LLVMTypeConverter converter;
  LLVMConversionTarget target;
  FrozenRewritePatternSet patterns;
};

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_STAGES_CODEGEN_LLVMLOWERING_H
