// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the devices of a module can run: the one way to ask after the stage `devices`.
#ifndef HEDDLE_COMPILER_DIALECT_DEVICE_IR_DEVICEQUERY_H
#define HEDDLE_COMPILER_DIALECT_DEVICE_IR_DEVICEQUERY_H

#include "compiler/Dialect/Device/IR/DeviceOps.h"

#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace mlir::heddle::device {

// A snapshot of a module's devices; make it anew after changing a device.global. Devices that can run the same set of
// executable targets are one class, so what is decided from the targets alone is decided once per class, not once per
// device. Costs time linear in the devices' alternatives.
//
//   DeviceQuery query(module);
//   for (ExecutableAttr target : query.getTargets(affinity)) …
class DeviceQuery {
public:
  explicit DeviceQuery(ModuleOp module);

  // The executable targets that the device may turn out to run, through fallbacks; each once, in the order of its
  // alternatives. Empty for a name that is not declared. A #device.ordinal may be any target the module names.
  ArrayRef<ExecutableAttr> getTargets(StringAttr device) const;
  ArrayRef<ExecutableAttr> getTargets(GlobalOp device) const { return getTargets(device.getSymNameAttr()); }
  ArrayRef<ExecutableAttr> getTargets(AffinityAttr affinity) const {
    return getTargets(affinity.getDevice().getAttr());
  }

  // Equal for devices whose sets of targets are equal, whatever their order; counted from 0 in the order of the first
  // device of each. The device must be declared.
  unsigned getClass(StringAttr device) const { return devices.find(device)->second.classIndex; }
  unsigned getClass(AffinityAttr affinity) const { return getClass(affinity.getDevice().getAttr()); }
  unsigned getNumClasses() const { return numClasses; }

  // The targets of all devices, each once, in the order of the devices.
  ArrayRef<ExecutableAttr> getAllTargets() const { return all; }

  // Null for a name that is not declared.
  GlobalOp lookup(StringAttr device) const;
  GlobalOp lookup(AffinityAttr affinity) const { return lookup(affinity.getDevice().getAttr()); }

private:
  struct Entry {
    GlobalOp global;
    std::vector<ExecutableAttr> targets;
    unsigned classIndex = 0;
  };

  llvm::DenseMap<StringAttr, Entry> devices;
  std::vector<ExecutableAttr> all;
  unsigned numClasses = 0;
};

} // namespace mlir::heddle::device

#endif // HEDDLE_COMPILER_DIALECT_DEVICE_IR_DEVICEQUERY_H
