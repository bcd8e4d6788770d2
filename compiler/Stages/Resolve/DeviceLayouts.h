// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the devices of a module lay out tensors, each question asked once.
#ifndef HEDDLE_COMPILER_STAGES_RESOLVE_DEVICELAYOUTS_H
#define HEDDLE_COMPILER_STAGES_RESOLVE_DEVICELAYOUTS_H

#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Encoding/IR/LayoutResolver.h"

#include "llvm/ADT/DenseMap.h"

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace mlir::heddle {

// A device speaks one layout for each alternative: where the executable targets of an alternative disagree it is rows,
// which all can read. Constants have a layout for each alternative (#encoding.by_device); what is computed has one:
// rows where the alternatives disagree. Where one executable target would need two layouts because it belongs to
// several alternatives all of them are rows. Devices whose alternatives answer all questions alike are one class; what
// is decided from the class is decided once. Costs time linear in the devices' alternatives.
//
//   DeviceLayouts layouts(module);
//   FailureOr<Type> type = layouts.convert(value.getType(), device, op);
class DeviceLayouts {
public:
  struct Executable {
    device::ExecutableAttr target;
    const encoding::LayoutResolver *resolver;
  };

  struct Class {
    SmallVector<SmallVector<Executable, 1>, 1> alternatives;
    SmallVector<device::ExecutableAttr> targets; // each once, in the order of the alternatives

    // What one abstract type is on it: #encoding.layout or .identity of each alternative; "" or why it cannot be.
    struct Answer {
      SmallVector<Attribute, 1> alternatives;
      llvm::DenseMap<Attribute, Attribute> targets;
      std::string reason;
    };
    mutable llvm::DenseMap<Type, Answer> answers;
  };

  // `resolvers`: for tests, in the place of the targets' own; see compiler/Target/LayoutResolvers.h.
  DeviceLayouts(ModuleOp module, StringRef resolvers) : module(module), resolvers(resolvers) {}

  // Lives as long as this. Fails with a diagnostic at the device when one of its targets has no resolver.
  FailureOr<const Class *> getClass(device::GlobalOp device);

  // The type on the device: without encoding, with a layout, or by_device. What is resolved already stays. Fails with a
  // diagnostic at `op` that names device, dispatch and type where the device does not support it.
  FailureOr<Type> convert(Type type, device::GlobalOp device, Operation *op);

  // #encoding.layout or .identity of an abstract type in kernels for one of the class' targets. Fails like `convert`.
  FailureOr<Attribute> layoutFor(Type type, device::ExecutableAttr target, const Class &deviceClass,
                                 device::GlobalOp device, Operation *op);

private:
  LogicalResult collect(device::GlobalOp device, Attribute alternative, SmallVectorImpl<Executable> &executables,
                        llvm::SmallPtrSetImpl<Operation *> &seen);
  FailureOr<Executable> getExecutable(device::GlobalOp device, device::ExecutableAttr target);
  const Class::Answer &ask(Type type, const Class &deviceClass);
  LogicalResult report(const Class::Answer &answer, Type type, device::GlobalOp device, Operation *op);

  ModuleOp module;
  StringRef resolvers;
  llvm::DenseMap<std::pair<Attribute, StringRef>, std::unique_ptr<encoding::LayoutResolver>> made;
  llvm::DenseMap<Operation *, const Class *> classOf;
  std::map<std::vector<const void *>, const Class *> known; // by the alternatives' targets and resolvers
  std::deque<Class> classes;
};

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_RESOLVE_DEVICELAYOUTS_H
