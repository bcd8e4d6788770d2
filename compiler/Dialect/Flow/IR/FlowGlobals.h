// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flow.global: what a module keeps between calls. See FlowGlobals.td and docs/design/state.md.
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_IR_FLOWGLOBALS_H
#define HEDDLE_COMPILER_DIALECT_FLOW_IR_FLOWGLOBALS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"

#include "compiler/Dialect/Flow/IR/FlowAttrs.h"

#define GET_OP_CLASSES
#include "compiler/Dialect/Flow/IR/FlowGlobals.h.inc"

#endif // HEDDLE_COMPILER_DIALECT_FLOW_IR_FLOWGLOBALS_H
