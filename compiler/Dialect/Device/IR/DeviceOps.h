// The device dialect: where things run. See DeviceDialect.td and DeviceOps.td.
#ifndef HEDDLE_COMPILER_DIALECT_DEVICE_IR_DEVICEOPS_H
#define HEDDLE_COMPILER_DIALECT_DEVICE_IR_DEVICEOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"

#include "compiler/Dialect/Device/IR/DeviceDialect.h.inc"

#include "compiler/Dialect/Device/IR/DeviceInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/Dialect/Device/IR/DeviceAttrs.h.inc"

#define GET_OP_CLASSES
#include "compiler/Dialect/Device/IR/DeviceOps.h.inc"

namespace mlir::heddle::device {

// The module's device that everything without an affinity of its own belongs to: `heddle.default_device` if set, else
// the first device.global. Null when the module has none.
GlobalOp getDefaultDevice(ModuleOp module);

} // namespace mlir::heddle::device

#endif // HEDDLE_COMPILER_DIALECT_DEVICE_IR_DEVICEOPS_H
