// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops of the kernel dialect. See KernelOps.td.
#ifndef HEDDLE_COMPILER_CODEGEN_IR_KERNELOPS_H
#define HEDDLE_COMPILER_CODEGEN_IR_KERNELOPS_H

#include "compiler/Dialect/Device/IR/DeviceOps.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "compiler/Codegen/IR/KernelDialect.h.inc"

#define GET_OP_CLASSES
#include "compiler/Codegen/IR/KernelOps.h.inc"

#endif // HEDDLE_COMPILER_CODEGEN_IR_KERNELOPS_H
