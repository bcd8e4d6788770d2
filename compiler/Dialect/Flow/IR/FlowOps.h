// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops of the flow dialect. See FlowOps.td.
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_IR_FLOWOPS_H
#define HEDDLE_COMPILER_DIALECT_FLOW_IR_FLOWOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "compiler/Dialect/Flow/IR/FlowDialect.h"

#define GET_OP_CLASSES
#include "compiler/Dialect/Flow/IR/FlowOps.h.inc"

namespace mlir::heddle::flow {

// For verifiers: there is one size for each dynamic dimension of the types, which are tensors.
LogicalResult verifyDims(Operation *op, TypeRange types, OperandRange dims, StringRef what);

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_IR_FLOWOPS_H
