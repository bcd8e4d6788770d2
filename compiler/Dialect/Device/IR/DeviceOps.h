// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The device dialect: where things run. See DeviceDialect.td and DeviceOps.td.
#ifndef HEDDLE_COMPILER_DIALECT_DEVICE_IR_DEVICEOPS_H
#define HEDDLE_COMPILER_DIALECT_DEVICE_IR_DEVICEOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"

#include <optional>
#include <string>
#include <vector>

#include "compiler/Dialect/Device/IR/DeviceDialect.h.inc"

#include "compiler/Dialect/Device/IR/DeviceInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/Dialect/Device/IR/DeviceAttrs.h.inc"

#define GET_OP_CLASSES
#include "compiler/Dialect/Device/IR/DeviceOps.h.inc"

namespace mlir::heddle::device {

// The directive `custom<Axes>` of device.mesh.
ParseResult parseAxes(OpAsmParser &parser, ArrayAttr &axes, DenseI64ArrayAttr &sizes);
void printAxes(OpAsmPrinter &printer, Operation *op, ArrayAttr axes, DenseI64ArrayAttr sizes);

} // namespace mlir::heddle::device

namespace mlir::heddle::device {

// The module's device that everything without an affinity of its own belongs to: the affinity `device.default` if set,
// else the first device.global. Null when the module has none.
GlobalOp getDefaultDevice(ModuleOp module);

// "@a, @b": the declared devices, for messages. See also didYouMean in compiler/Dialect/Suggest.h.
std::vector<std::string> getDeviceNames(ModuleOp module);

// The end of a message about a device that is not declared: "; declared: @a, @b; did you mean '@a'?".
std::string explainUndeclared(ModuleOp module, StringRef name);

} // namespace mlir::heddle::device

#endif // HEDDLE_COMPILER_DIALECT_DEVICE_IR_DEVICEOPS_H
