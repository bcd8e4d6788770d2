// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Resolve/DeviceLayouts.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Target/LayoutResolvers.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::heddle;

//===--- Classes -------------------------------------------------------------------------------------------------===//

FailureOr<DeviceLayouts::Executable> DeviceLayouts::getExecutable(device::GlobalOp device,
                                                                  device::ExecutableAttr target) {
  StringRef name = findLayoutResolver(device, target, resolvers);
  std::unique_ptr<encoding::LayoutResolver> &entry = made[{target, name}];
  if (!entry) {
    auto resolver = createLayoutResolver(device, target, name);
    if (failed(resolver))
      return failure();
    entry = std::move(*resolver);
  }
  return Executable{target, entry.get()};
}

// Appends what may run when the device turns out to be `alternative`; `seen`: the devices followed so far.
LogicalResult DeviceLayouts::collect(device::GlobalOp device, Attribute alternative,
                                     SmallVectorImpl<Executable> &executables,
                                     llvm::SmallPtrSetImpl<Operation *> &seen) {
  SmallVector<device::ExecutableAttr> targets;
  if (auto target = dyn_cast<device::TargetAttr>(alternative)) {
    llvm::append_range(targets, target.getExecutables());
  } else if (auto fallback = dyn_cast<device::FallbackAttr>(alternative)) {
    auto other = module.lookupSymbol<device::GlobalOp>(fallback.getDevice().getAttr());
    if (!other || !seen.insert(other).second)
      return success();
    for (Attribute next : other.getAlternatives())
      if (failed(collect(other, next, executables, seen)))
        return failure();
  }
  for (device::ExecutableAttr target : targets) {
    FailureOr<Executable> executable = getExecutable(device, target);
    if (failed(executable))
      return failure();
    if (llvm::none_of(executables, [&](const Executable &other) {
          return other.target == executable->target && other.resolver == executable->resolver;
        }))
      executables.push_back(*executable);
  }
  return success();
}

FailureOr<const DeviceLayouts::Class *> DeviceLayouts::getClass(device::GlobalOp device) {
  if (const Class *found = classOf.lookup(device))
    return found;
  Class candidate;
  std::vector<const void *> key;
  llvm::SetVector<device::ExecutableAttr> targets;
  for (Attribute alternative : device.getAlternatives()) {
    llvm::SmallPtrSet<Operation *, 4> seen{device.getOperation()};
    SmallVector<Executable, 1> &executables = candidate.alternatives.emplace_back();
    if (failed(collect(device, alternative, executables, seen)))
      return failure();
    for (const Executable &executable : executables) {
      targets.insert(executable.target);
      key.push_back(executable.target.getAsOpaquePointer());
      key.push_back(executable.resolver);
    }
    key.push_back(nullptr);
  }
  const Class *&entry = known[key];
  if (!entry) {
    candidate.targets = targets.takeVector();
    entry = &classes.emplace_back(std::move(candidate));
  }
  return classOf[device] = entry;
}

//===--- Answers -------------------------------------------------------------------------------------------------===//

// Of equal layouts that one, else rows.
static Attribute meet(Attribute one, Attribute other, Attribute rows) { return !one || one == other ? other : rows; }

const DeviceLayouts::Class::Answer &DeviceLayouts::ask(Type type, const Class &deviceClass) {
  auto [entry, isNew] = deviceClass.answers.try_emplace(type);
  Class::Answer &answer = entry->second;
  if (!isNew)
    return answer;
  Attribute rows = encoding::IdentityAttr::get(type.getContext());
  for (ArrayRef<Executable> executables : deviceClass.alternatives) {
    Attribute common;
    for (const Executable &executable : executables) {
      encoding::Resolution resolution = executable.resolver->resolve(cast<RankedTensorType>(type));
      if (resolution.kind == encoding::Resolution::Unsupported) {
        answer.reason = resolution.reason;
        return answer;
      }
      common =
          meet(common, resolution.kind == encoding::Resolution::Layout ? Attribute(resolution.layout) : rows, rows);
    }
    answer.alternatives.push_back(common ? common : rows);
  }
  // Only what is packed when the device is known may depend on what it turns out to be.
  bool clash =
      !encoding::isOfConstant(cast<RankedTensorType>(type).getEncoding()) && !llvm::all_equal(answer.alternatives);
  for (auto [executables, layout] : llvm::zip_equal(deviceClass.alternatives, answer.alternatives))
    for (const Executable &executable : executables)
      clash |= answer.targets.try_emplace(executable.target, layout).first->second != layout;
  if (clash) {
    answer.alternatives.assign(answer.alternatives.size(), rows);
    for (auto &[target, layout] : answer.targets)
      layout = rows;
  }
  return answer;
}

LogicalResult DeviceLayouts::report(const Class::Answer &answer, Type type, device::GlobalOp device, Operation *op) {
  if (answer.reason.empty())
    return success();
  InFlightDiagnostic error = op->emitError();
  error << "device @" << device.getSymName() << " cannot lay out " << type;
  if (auto dispatch = dyn_cast<flow::DispatchOp>(op))
    error << " of dispatch " << dispatch.getExecutableAttr();
  return error << ": " << answer.reason << "; --data-tiling=off compiles without layouts";
}

FailureOr<Type> DeviceLayouts::convert(Type type, device::GlobalOp device, Operation *op) {
  auto tensor = cast<RankedTensorType>(type);
  if (isa_and_present<encoding::IdentityAttr>(tensor.getEncoding()))
    return Type(encoding::withoutEncoding(tensor));
  if (!encoding::isAbstract(tensor.getEncoding()))
    return type;
  FailureOr<const Class *> deviceClass = getClass(device);
  if (failed(deviceClass))
    return failure();
  const Class::Answer &answer = ask(type, **deviceClass);
  if (failed(report(answer, type, device, op)))
    return failure();
  Attribute layout = answer.alternatives.front();
  if (!llvm::all_equal(answer.alternatives))
    layout = encoding::ByDeviceAttr::get(type.getContext(), FlatSymbolRefAttr::get(device.getSymNameAttr()),
                                         answer.alternatives);
  return Type(encoding::withEncoding(tensor, isa<encoding::IdentityAttr>(layout) ? Attribute() : layout));
}

FailureOr<Attribute> DeviceLayouts::layoutFor(Type type, device::ExecutableAttr target, const Class &deviceClass,
                                              device::GlobalOp device, Operation *op) {
  const Class::Answer &answer = ask(type, deviceClass);
  if (failed(report(answer, type, device, op)))
    return failure();
  return answer.targets.lookup(target);
}
