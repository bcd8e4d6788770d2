#include "compiler/Dialect/Device/IR/DeviceOps.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::heddle::device;

#include "compiler/Dialect/Device/IR/DeviceDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/Dialect/Device/IR/DeviceAttrs.cpp.inc"

void DeviceDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/Dialect/Device/IR/DeviceAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "compiler/Dialect/Device/IR/DeviceOps.cpp.inc"
      >();
}

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringAttr driver, int64_t ordinal,
                                 ArrayRef<ExecutableAttr> executables) {
  if (driver.empty())
    return emitError() << "a device target needs the name of a runtime driver";
  if (ordinal < -1)
    return emitError() << "a device's ordinal counts from 0 (-1: any), got " << ordinal;
  if (executables.empty())
    return emitError() << "a device target needs at least one #device.executable";
  return success();
}

GlobalOp mlir::heddle::device::getDefaultDevice(ModuleOp module) {
  if (auto name = module->getAttrOfType<FlatSymbolRefAttr>("heddle.default_device"))
    return module.lookupSymbol<GlobalOp>(name.getAttr());
  auto globals = module.getOps<GlobalOp>();
  return globals.empty() ? GlobalOp() : *globals.begin();
}

#define GET_OP_CLASSES
#include "compiler/Dialect/Device/IR/DeviceOps.cpp.inc"
