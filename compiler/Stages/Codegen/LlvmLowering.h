// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From loops over memory to the LLVM dialect, for targets that LLVM compiles for.
#ifndef HEDDLE_COMPILER_STAGES_CODEGEN_LLVMLOWERING_H
#define HEDDLE_COMPILER_STAGES_CODEGEN_LLVMLOWERING_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::heddle::codegen {

// A one-dimensional memref on memory we know only the address of. Its size is never asked for.
Value makeMemref(OpBuilder &builder, Location loc, const LLVMTypeConverter &converter, Type type, Value pointer);

// Converts a function of a kernel.program whose ops of the dialect kernel are lowered, but for instructions
// (Codegen/ISA), which become those of the program's target, and calls of microkernels, whose functions the program
// declares then. Emits an error for an op that has no counterpart.
LogicalResult convertLoopsToLLVM(func::FuncOp kernel, LLVMTypeConverter &converter);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_STAGES_CODEGEN_LLVMLOWERING_H
