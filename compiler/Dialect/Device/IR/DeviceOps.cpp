#include "compiler/Dialect/Device/IR/DeviceOps.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::heddle::device;

#include "compiler/Dialect/Device/IR/DeviceDialect.cpp.inc"

#include "compiler/Dialect/Device/IR/DeviceInterfaces.cpp.inc"

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

SmallVector<Attribute> GlobalOp::getAlternatives() {
  SmallVector<Attribute> alternatives;
  cast<DeviceInitAttr>(getDevice()).getAlternatives(alternatives);
  return alternatives;
}

LogicalResult GlobalOp::verify() {
  auto device = dyn_cast<DeviceInitAttr>(getDevice());
  if (!device)
    return emitOpError() << "must be set to what a device can be, such as #device.target, #device.alias or "
                            "#device.select, got "
                         << getDevice();
  SmallVector<Attribute> alternatives;
  device.getAlternatives(alternatives);
  if (alternatives.empty())
    return emitOpError() << "needs at least one alternative, got none from " << getDevice();
  for (Attribute alternative : alternatives)
    if (!isa<TargetAttr, AliasAttr, OrdinalAttr, FallbackAttr>(alternative))
      return emitOpError() << "has an alternative that is none of #device.target, #device.alias, #device.ordinal, "
                              "#device.fallback: "
                           << alternative;
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
