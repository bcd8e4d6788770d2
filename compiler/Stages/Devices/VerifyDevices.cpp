// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Device/IR/DeviceQuery.h"
#include "compiler/Dialect/Suggest.h"
#include "compiler/Stages/Devices/Passes.h"
#include "compiler/Target/TargetRegistry.h"
#include "heddle/contract/ArtifactVerifier.h"

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

// What an artifact can name, said where the device stands that is one too many.
static LogicalResult verifyCount(ModuleOp module) {
  constexpr size_t kMost = ::heddle::contract::kMaxDevices;
  size_t count = 0;
  device::GlobalOp first;
  for (auto global : module.getOps<device::GlobalOp>())
    if (count++ == kMost)
      first = global;
  if (!first)
    return success();
  return first.emitError() << "@" << first.getSymName() << " is device " << kMost + 1 << " of " << count
                           << ", and an artifact names at most " << kMost
                           << ": declare fewer, or make several artifacts";
}

// The most queues that an alternative states (`queues` of a target); none where one of them states nothing.
static std::optional<int64_t> findQueueCount(device::GlobalOp global, const device::DeviceQuery &query,
                                             unsigned depth = 0) {
  constexpr unsigned kDeepest = 100; // fallbacks that go round state nothing
  int64_t most = 0;
  if (depth > kDeepest)
    return std::nullopt;
  for (Attribute alternative : global.getAlternatives()) {
    std::optional<int64_t> count;
    if (auto target = dyn_cast<device::TargetAttr>(alternative)) {
      auto stated = target.getConfig() ? target.getConfig().getAs<IntegerAttr>("queues") : IntegerAttr();
      count = stated ? std::optional(stated.getInt()) : std::nullopt;
    } else if (auto fallback = dyn_cast<device::FallbackAttr>(alternative)) {
      count = findQueueCount(query.lookup(fallback.getDevice().getAttr()), query, depth + 1);
    }
    if (!count)
      return std::nullopt;
    most = std::max(most, *count);
  }
  return most;
}

// Streams are logical, but somebody makes them.
static LogicalResult verifyQueues(Operation *op, device::AffinityAttr affinity, const device::DeviceQuery &query) {
  constexpr int64_t kMostQueues = ::heddle::contract::kMaxStreams;
  if (affinity.getQueues().empty())
    return success();
  int64_t last = affinity.getQueues().back();
  std::optional<int64_t> count = findQueueCount(query.lookup(affinity), query);
  if (count && last >= *count)
    return op->emitError() << "names queue " << last << " of " << affinity.getDevice() << ", whose targets state "
                           << *count << (*count == 1 ? " queue" : " queues") << "; name queues from 0 to "
                           << *count - 1;
  if (last >= kMostQueues)
    return op->emitError() << "names queue " << last << " of " << affinity.getDevice() << "; name queues from 0 to "
                           << kMostQueues - 1;
  return success();
}

// Each symbol of an affinity is declared, and no promise is left.
static LogicalResult verifyAffinities(Operation *op, ModuleOp module, const device::DeviceQuery &query) {
  FlatSymbolRefAttr undeclared;
  device::PromiseAttr promise;
  SmallVector<device::AffinityAttr> affinities;
  op->getAttrDictionary().walk([&](Attribute attribute) {
    auto check = [&](FlatSymbolRefAttr name) {
      if (!undeclared && !query.lookup(name.getAttr()))
        undeclared = name;
    };
    if (auto affinity = dyn_cast<device::AffinityAttr>(attribute))
      check(affinity.getDevice()), affinities.push_back(affinity);
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
  for (device::AffinityAttr affinity : affinities)
    if (failed(verifyQueues(op, affinity, query)))
      return failure();
  return success();
}

namespace {

struct VerifyDevices : mlir::heddle::impl::VerifyDevicesBase<VerifyDevices> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(verifyCount(module)))
      return signalPassFailure();
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
