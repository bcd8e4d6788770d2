// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Suggest.h"
#include "compiler/Stages/Devices/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_DECLAREGLOBALS
#include "compiler/Stages/Devices/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct Declaration {
  std::string name;
  Attribute device;
};

struct DeclareGlobals : mlir::heddle::impl::DeclareGlobalsBase<DeclareGlobals> {
  using DeclareGlobalsBase::DeclareGlobalsBase;

  void runOnOperation() override {
    if (failed(declare(getOperation())) || failed(setDefault(getOperation())))
      signalPassFailure();
  }

  LogicalResult declare(ModuleOp module);
  LogicalResult setDefault(ModuleOp module);
};

} // namespace

// In the order given. Fails with a diagnostic at the module.
static FailureOr<std::vector<Declaration>> getDeclarations(ModuleOp module, Attribute targets) {
  std::vector<Declaration> declarations;
  auto add = [&](StringRef name, Attribute device) {
    declarations.push_back({name.empty() ? "device_" + std::to_string(declarations.size()) : name.str(), device});
  };
  if (auto names = dyn_cast<DictionaryAttr>(targets)) {
    if (names.size() > 1 && !module->hasAttr(device::DeviceDialect::kDefaultAttr))
      return module.emitError()
             << "device.targets is a dictionary, which has no order: say with device.default which of "
                "its devices is the default";
    for (NamedAttribute entry : names) {
      auto named = dyn_cast<device::NamedAttr>(entry.getValue());
      if (named)
        return module.emitError() << "device.targets gives a device two names, " << entry.getName() << " and "
                                  << named.getName();
      add(entry.getName(), entry.getValue());
    }
    return declarations;
  }
  auto list = cast<ArrayAttr>(targets);
  for (Attribute entry : list) {
    auto named = dyn_cast<device::NamedAttr>(entry);
    if (!named != !isa<device::NamedAttr>(list[0]))
      return module.emitError() << "device.targets names some devices and others not, got " << list[0] << " and "
                                << entry << ": name all, or none";
    add(named ? named.getName().getValue() : "", named ? named.getDevice() : entry);
  }
  return declarations;
}

LogicalResult DeclareGlobals::declare(ModuleOp module) {
  Attribute targets = module->getAttr(device::DeviceDialect::kTargetsAttr);
  if (!targets)
    return success();
  auto globals = module.getOps<device::GlobalOp>();
  if (!globals.empty()) {
    InFlightDiagnostic error = (*globals.begin()).emitError() << "the module declares this device, and device.targets "
                                                                 "declares more: give them in one place";
    error.attachNote(module.getLoc()) << "device.targets is " << targets;
    return error;
  }
  FailureOr<std::vector<Declaration>> declarations = getDeclarations(module, targets);
  if (failed(declarations))
    return failure();
  SymbolTable symbols(module);
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  for (const Declaration &declaration : *declarations) {
    if (Operation *other = symbols.lookup(declaration.name)) {
      InFlightDiagnostic error = module.emitError()
                                 << "device.targets declares @" << declaration.name << ", a name that is taken";
      error.attachNote(other->getLoc()) << "by this";
      return error;
    }
    auto global = device::GlobalOp::create(builder, module.getLoc(), declaration.name, declaration.device);
    symbols.insert(global, Block::iterator(global));
  }
  module->removeAttr(device::DeviceDialect::kTargetsAttr);
  return success();
}

LogicalResult DeclareGlobals::setDefault(ModuleOp module) {
  SmallVector<device::GlobalOp> globals(module.getOps<device::GlobalOp>());
  Attribute given = module->getAttr(device::DeviceDialect::kDefaultAttr);
  if (isa_and_nonnull<device::AffinityAttr, device::PromiseAttr>(given))
    return success();
  device::GlobalOp chosen;
  const char *flag = isFlag ? "--default-device: " : "";
  if (auto name = dyn_cast_or_null<StringAttr>(given)) {
    auto found = llvm::find_if(globals, [&](device::GlobalOp global) { return global.getSymName() == name; });
    if (found == globals.end())
      return module.emitError() << flag << "unknown default device '" << name.getValue() << "'"
                                << device::explainUndeclared(module, name);
    chosen = *found;
  } else if (auto position = dyn_cast_or_null<IntegerAttr>(given)) {
    if (position.getValue().isNegative() || position.getInt() >= static_cast<int64_t>(globals.size()))
      return module.emitError() << flag << "unknown default device " << position.getInt() << ": there are "
                                << globals.size() << ", counted from 0" << device::explainUndeclared(module, "");
    chosen = globals[position.getInt()];
  } else if (!globals.empty()) {
    chosen = globals.front();
  }
  if (chosen)
    module->setAttr(device::DeviceDialect::kDefaultAttr,
                    device::AffinityAttr::get(&getContext(), FlatSymbolRefAttr::get(chosen.getSymNameAttr())));
  return success();
}
