#include "compiler/Dialect/Device/IR/DeviceQuery.h"
#include "compiler/Dialect/Suggest.h"
#include "compiler/Stages/Devices/Passes.h"
#include "compiler/Target/TargetRegistry.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_VERIFYDEVICES
#include "compiler/Stages/Devices/Passes.h.inc"
} // namespace mlir::heddle

// A driver is called like the alias that expands to it.
static LogicalResult verifyDriver(device::GlobalOp global, StringRef driver) {
  std::vector<std::string> drivers;
  for (const Target *target : getTargets())
    for (const DeviceAlias &alias : target->getAliases())
      drivers.push_back(alias.name);
  if (llvm::is_contained(drivers, driver))
    return success();
  return global.emitError() << "unknown driver '" << driver << "'; known: " << listNames(drivers)
                            << didYouMean(driver, drivers);
}

static LogicalResult verifyAlternative(device::GlobalOp global, Attribute alternative,
                                       const device::DeviceQuery &query) {
  if (auto target = dyn_cast<device::TargetAttr>(alternative)) {
    if (failed(verifyDriver(global, target.getDriver())))
      return failure();
    for (device::ExecutableAttr executable : target.getExecutables())
      if (failed(getTarget(global, executable)))
        return failure();
    return success();
  }
  if (auto fallback = dyn_cast<device::FallbackAttr>(alternative)) {
    if (!query.lookup(fallback.getDevice().getAttr()))
      return global.emitError() << "falls back to " << fallback.getDevice() << ", which is not declared"
                                << device::explainUndeclared(global->getParentOfType<ModuleOp>(),
                                                             fallback.getDevice().getValue());
    return success();
  }
  if (isa<device::OrdinalAttr>(alternative))
    return global.emitError() << "is still known by its position alone, " << alternative
                              << ": run devices-expand-ordinals first";
  if (isa<device::AliasAttr>(alternative))
    return global.emitError() << "is still an alias, " << alternative << ": run devices-expand-aliases first";
  return success();
}

static LogicalResult verifyGlobal(device::GlobalOp global, const device::DeviceQuery &query) {
  for (Attribute alternative : global.getAlternatives())
    if (failed(verifyAlternative(global, alternative, query)))
      return failure();
  if (!isa<device::TargetAttr, device::OrdinalAttr, device::FallbackAttr, device::SelectAttr>(global.getDevice()))
    return global.emitError() << "is still a selection of its own kind, " << global.getDevice()
                              << ": run devices-expand-aliases first";
  if (query.getTargets(global).empty())
    return global.emitError() << "has no executable target: no code can be made for it; give the module a device that "
                                 "says what it is, such as #device.alias<\"local\">";
  return success();
}

// Each symbol of an affinity is declared, and no promise is left.
static LogicalResult verifyAffinities(Operation *op, ModuleOp module, const device::DeviceQuery &query) {
  FlatSymbolRefAttr undeclared;
  device::PromiseAttr promise;
  op->getAttrDictionary().walk([&](Attribute attribute) {
    auto check = [&](FlatSymbolRefAttr name) {
      if (!undeclared && !query.lookup(name.getAttr()))
        undeclared = name;
    };
    if (auto affinity = dyn_cast<device::AffinityAttr>(attribute))
      check(affinity.getDevice());
    else if (auto link = dyn_cast<device::LinkAttr>(attribute))
      check(link.getFrom()), check(link.getTo());
    else if (auto left = dyn_cast<device::PromiseAttr>(attribute))
      promise = left;
  });
  if (promise)
    return op->emitError() << "is still promised a device, " << promise << ": run devices-resolve-promises first";
  if (undeclared)
    return op->emitError() << "names the device " << undeclared << ", which is not declared"
                           << device::explainUndeclared(module, undeclared.getValue());
  return success();
}

namespace {

struct VerifyDevices : mlir::heddle::impl::VerifyDevicesBase<VerifyDevices> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    device::DeviceQuery query(module);
    for (auto global : module.getOps<device::GlobalOp>())
      if (failed(verifyGlobal(global, query)))
        return signalPassFailure();
    // Attributes are shared by many ops: each is looked at once.
    llvm::DenseSet<Attribute> verified;
    WalkResult walk = module->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!verified.insert(op->getAttrDictionary()).second)
        return WalkResult::advance();
      return failed(verifyAffinities(op, module, query)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
