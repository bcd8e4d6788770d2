// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Device/IR/DeviceOps.h"

#include "compiler/Dialect/Suggest.h"

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
  if (auto affinity = module->getAttrOfType<AffinityAttr>(DeviceDialect::kDefaultAttr))
    return module.lookupSymbol<GlobalOp>(affinity.getDevice().getAttr());
  auto globals = module.getOps<GlobalOp>();
  return globals.empty() ? GlobalOp() : *globals.begin();
}

std::vector<std::string> mlir::heddle::device::getDeviceNames(ModuleOp module) {
  std::vector<std::string> names;
  for (auto global : module.getOps<GlobalOp>())
    names.push_back("@" + global.getSymName().str());
  return names;
}

std::string mlir::heddle::device::explainUndeclared(ModuleOp module, StringRef name) {
  std::vector<std::string> names = getDeviceNames(module);
  return "; declared: " + listNames(names) + didYouMean(("@" + name).str(), names);
}

static LogicalResult verifyTargets(Operation *op, Attribute value) {
  SmallVector<Attribute> devices;
  if (auto list = dyn_cast<ArrayAttr>(value))
    llvm::append_range(devices, list);
  else if (auto named = dyn_cast<DictionaryAttr>(value))
    llvm::append_range(devices, llvm::map_range(named, [](NamedAttribute entry) { return entry.getValue(); }));
  else
    return op->emitError() << "device.targets must be an array of devices, or a dictionary of names, got " << value;
  for (Attribute device : devices)
    if (!isa<DeviceInitAttr, NamedAttr>(device))
      return op->emitError() << "device.targets holds what a device can be, such as #device.target, #device.alias or "
                                "#device.select, got "
                             << device;
  return success();
}

LogicalResult DeviceDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name != kTargetsAttr && name != kDefaultAttr && name != kTopologyAttr)
    return op->emitError() << "unknown attribute " << attribute.getName()
                           << "; known: device.default, device.targets, device.topology";
  if (!isa<ModuleOp>(op))
    return op->emitError() << name << " stands on the module";
  if (name == kTargetsAttr)
    return verifyTargets(op, attribute.getValue());
  if (name == kTopologyAttr && !isa<TopologyAttr>(attribute.getValue()))
    return op->emitError() << "device.topology must be a #device.topology, got " << attribute.getValue();
  if (name == kDefaultAttr && !isa<AffinityAttr, PromiseAttr, StringAttr, IntegerAttr>(attribute.getValue()))
    return op->emitError() << "device.default must be a #device.affinity, a device's name or its position, got "
                           << attribute.getValue();
  return success();
}

#define GET_OP_CLASSES
#include "compiler/Dialect/Device/IR/DeviceOps.cpp.inc"
