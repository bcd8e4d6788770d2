// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host dialect: memory and order. See HostDialect.td and HostOps.td.
#ifndef HEDDLE_COMPILER_DIALECT_HOST_IR_HOSTOPS_H
#define HEDDLE_COMPILER_DIALECT_HOST_IR_HOSTOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Host/IR/HostRow.h"
#include "heddle/contract/Collectives.h"

#include "compiler/Dialect/Host/IR/HostDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "compiler/Dialect/Host/IR/HostTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/Dialect/Host/IR/HostAttrs.h.inc"

#include "compiler/Dialect/Host/IR/HostInterfaces.h.inc"

namespace mlir::heddle::host {
// What host.query asks.
inline constexpr llvm::StringLiteral kCoresKey = "cores", kStreamsKey = "streams", kWorkgroupsKey = "workgroups";
} // namespace mlir::heddle::host

#define GET_OP_CLASSES
#include "compiler/Dialect/Host/IR/HostOps.h.inc"

namespace mlir::heddle::host {

// For verifiers: the op stands in @__bind.
LogicalResult verifyInBind(Operation *op);

// The name of a stream that the whole program knows: the device and number of an extra stream, or no device for that of
// the collectives. None for other ops.
std::optional<std::pair<StringRef, uint32_t>> getStreamName(Operation *op);
// Whether there is work on other streams than the call's.
bool namesStream(Operation *op);

// The function that runs once for a module and its devices, before any call.
inline constexpr llvm::StringLiteral kBindFunction = "__bind";
// On an entry point: calls for the interpreter, a list of lists of dense values.
inline constexpr llvm::StringLiteral kInputsAttr = "host.inputs";

} // namespace mlir::heddle::host

#endif // HEDDLE_COMPILER_DIALECT_HOST_IR_HOSTOPS_H
