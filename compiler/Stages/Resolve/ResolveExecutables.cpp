// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Resolve/ResolveExecutables.h"

#include "compiler/Dialect/Encoding/Transforms/Retype.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::heddle;

//===--- Needs ---------------------------------------------------------------------------------------------------===//

ArrayRef<Type> ExecutableVersions::typesOf(flow::ExecutableOp executable) {
  auto [entry, isNew] = uses.try_emplace(executable);
  if (!isNew)
    return entry->second.types;
  llvm::SetVector<Type> types;
  auto note = [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (tensor &&
        (encoding::isAbstract(tensor.getEncoding()) || isa_and_present<encoding::IdentityAttr>(tensor.getEncoding())))
      types.insert(type);
  };
  executable.getFunction().walk([&](Operation *op) {
    llvm::for_each(op->getResultTypes(), note);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArgumentTypes(), note);
  });
  entry->second.types = types.takeVector();
  return entry->second.types;
}

FailureOr<unsigned> ExecutableVersions::findVersion(Use &use, device::GlobalOp device, Operation *op) {
  FailureOr<const DeviceLayouts::Class *> deviceClass = layouts.getClass(device);
  if (failed(deviceClass))
    return failure();
  auto [known, isNew] = use.versionOf.try_emplace(*deviceClass, 0);
  if (!isNew)
    return known->second;
  SmallVector<Need> needs;
  for (device::ExecutableAttr target : (*deviceClass)->targets) {
    Need &need = needs.emplace_back(Need{target, {}});
    for (Type type : use.types) {
      FailureOr<Attribute> layout = layouts.layoutFor(type, target, **deviceClass, device, op);
      if (failed(layout))
        return failure();
      need.layouts.push_back(*layout);
    }
  }
  auto agrees = [&](const Version &version) {
    return llvm::all_of(needs, [&](const Need &need) {
      return llvm::all_of(version.needs,
                          [&](const Need &other) { return other.target != need.target || other == need; });
    });
  };
  unsigned number = llvm::find_if(use.versions, agrees) - use.versions.begin();
  if (number == use.versions.size())
    use.versions.emplace_back();
  Version &version = use.versions[number];
  for (Need &need : needs)
    if (!llvm::is_contained(version.needs, need))
      version.needs.push_back(std::move(need));
  return known->second = number;
}

LogicalResult ExecutableVersions::add(flow::DispatchOp dispatch, device::GlobalOp device) {
  auto executable = symbols.lookup<flow::ExecutableOp>(dispatch.getExecutable());
  if (!needsLayouts(executable))
    return success();
  Use &use = uses.find(executable)->second;
  FailureOr<unsigned> version = findVersion(use, device, dispatch);
  if (failed(version))
    return failure();
  use.versions[*version].dispatches.push_back(dispatch);
  return success();
}

//===--- Functions -----------------------------------------------------------------------------------------------===//

LogicalResult ExecutableVersions::retype(func::FuncOp function, ArrayRef<Type> types, const Version &version) {
  SmallVector<Attribute> targets;
  for (const Need &need : version.needs)
    targets.push_back(need.target);
  llvm::DenseMap<Type, Type> resolved;
  for (auto [i, type] : llvm::enumerate(types)) {
    SmallVector<Attribute> choices;
    for (const Need &need : version.needs)
      choices.push_back(need.layouts[i]);
    Attribute layout = choices.front();
    if (!llvm::all_equal(choices))
      layout = encoding::ByTargetAttr::get(module.getContext(), targets, choices);
    resolved[type] = encoding::withEncoding(cast<RankedTensorType>(type),
                                            isa<encoding::IdentityAttr>(layout) ? Attribute() : layout);
  }
  return encoding::retype(function, [&](Value value, Operation *) -> FailureOr<Type> {
    Type type = resolved.lookup(value.getType());
    return type ? type : value.getType();
  });
}

LogicalResult ExecutableVersions::resolve(flow::ExecutableOp executable, Use &use) {
  // Copies first: they are made of what is not resolved yet.
  SmallVector<flow::ExecutableOp> copies{executable};
  OpBuilder builder(executable);
  for (size_t i = 1; i < use.versions.size(); ++i) {
    builder.setInsertionPointAfter(copies.back());
    auto copy = cast<flow::ExecutableOp>(builder.clone(*executable));
    func::FuncOp function = copy.getFunction();
    copy.setSymNameAttr(builder.getStringAttr(executable.getSymName() + "_layout_" + Twine(i)));
    StringAttr name = symbols.insert(copy);
    function.setName(name);
    copies.push_back(copy);
    for (flow::DispatchOp dispatch : use.versions[i].dispatches)
      dispatch.setExecutableAttr(FlatSymbolRefAttr::get(name));
  }
  for (auto [copy, version] : llvm::zip_equal(copies, use.versions))
    if (failed(retype(copy.getFunction(), use.types, version)))
      return failure();
  return success();
}

LogicalResult ExecutableVersions::resolve() {
  SmallVector<flow::ExecutableOp> executables(module.getOps<flow::ExecutableOp>());
  for (flow::ExecutableOp executable : executables) {
    if (!needsLayouts(executable))
      continue;
    Use &use = uses.find(executable)->second;
    if (use.versions.empty()) {
      device::GlobalOp device = device::getDefaultDevice(module);
      if (!device)
        return executable.emitError() << "has an encoded type, but the module has no device that could resolve it; run "
                                         "stage-devices first";
      if (failed(findVersion(use, device, executable)))
        return failure();
    }
    if (failed(resolve(executable, use)))
      return failure();
  }
  return success();
}
