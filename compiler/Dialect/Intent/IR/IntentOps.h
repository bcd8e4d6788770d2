// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The intent dialect: what a model asks for, whole. See IntentOps.td and docs/design/quantisation.md.
//
//   %y = intent.quantized_product %rows, %codes scales %s zeros %z …    // what importers emit, before any layout
//
// Ops on lists (sort, scan, scatter): IntentLists.h.
//
// No op says how it is computed. An op's decomposition into structured ops is its meaning: the reference runs it, and
// what no stage takes whole becomes it.
#ifndef HEDDLE_COMPILER_DIALECT_INTENT_IR_INTENTOPS_H
#define HEDDLE_COMPILER_DIALECT_INTENT_IR_INTENTOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::heddle::intent {

// Of a decomposed op: the type of the codes that it reads.
inline constexpr llvm::StringLiteral kCodeAttr = "intent.code";
// Of scalar code that an op on lists became: which op it was, such as "sort".
inline constexpr llvm::StringLiteral kOfAttr = "intent.of";

// Whether codes can have the type: ui2 to ui7, i8, ui8, floats of 8 and 4 bits.
bool isCodeType(Type type);

} // namespace mlir::heddle::intent

#include "compiler/Dialect/Intent/IR/IntentDialect.h.inc"

#define GET_OP_CLASSES
#include "compiler/Dialect/Intent/IR/IntentOps.h.inc"

#endif // HEDDLE_COMPILER_DIALECT_INTENT_IR_INTENTOPS_H
