// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Quantities.h"
#include "compiler/Dialect/Suggest.h"
#include "compiler/Stages/Devices/Passes.h"
#include "compiler/Target/TargetRegistry.h"
#include "heddle/contract/ArtifactVerifier.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_EXPANDALIASES
#include "compiler/Stages/Devices/Passes.h.inc"
} // namespace mlir::heddle

// What any device may say of itself: how much memory it has, and what placement by cost wants to know.
static constexpr StringLiteral kMemory = "memory";
static constexpr StringLiteral kRates[] = {"gflops",       "memory_gbps",  "launch_us", "from_host_gbps",
                                           "from_host_us", "to_host_gbps", "to_host_us"};
static constexpr StringLiteral kCounts[] = {"queues", "units"};
static constexpr int64_t kMost[] = {::heddle::contract::kMaxStreams, 1 << 20}; // of the counts

// 4096, 4e9, "512MiB", "2GB" → bytes; none for anything else.
static std::optional<int64_t> toBytes(Attribute value) {
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return integer.getInt() > 0 ? std::optional(integer.getInt()) : std::nullopt;
  if (auto real = dyn_cast<FloatAttr>(value)) {
    double number = real.getValueAsDouble();
    return number >= 1 && number < 9.2e18 ? std::optional(static_cast<int64_t>(number)) : std::nullopt;
  }
  auto text = dyn_cast<StringAttr>(value);
  return text ? parseBytes(text.getValue()) : std::nullopt;
}

// Emits an error at `op` for an alias or an option that no target knows.
static FailureOr<const Target *> findTarget(Operation *op, device::AliasAttr alias) {
  std::vector<std::string> names;
  for (const Target *target : getTargets())
    for (const DeviceAlias &known : target->getAliases())
      names.push_back(known.name);
  const Target *target = findTargetOfAlias(alias.getName().getValue());
  if (!target)
    return op->emitError() << "unknown target device '" << alias.getName().getValue()
                           << "'; known: " << listNames(names) << didYouMean(alias.getName().getValue(), names);
  std::vector<std::string> options{kMemory.str()};
  for (StringRef rate : kRates)
    options.push_back(rate.str());
  for (StringRef count : kCounts)
    options.push_back(count.str());
  for (StringRef option : target->getOptions())
    options.push_back(option.str());
  for (NamedAttribute option : alias.getConfig())
    if (!llvm::is_contained(options, option.getName().getValue()))
      return op->emitError() << "unknown option '" << option.getName().getValue() << "' of device '"
                             << alias.getName().getValue() << "'; known: " << listNames(options)
                             << didYouMean(option.getName().getValue(), options);
  return target;
}

// Moves what any device may say from `config` to `described`. Fails with a diagnostic at `op`.
static LogicalResult describe(Operation *op, NamedAttrList &config, NamedAttrList &described) {
  Builder builder(op->getContext());
  if (Attribute memory = config.erase(kMemory)) {
    std::optional<int64_t> bytes = toBytes(memory);
    if (!bytes)
      return op->emitError() << "a device's memory is a number of bytes, or as in 512MiB or 2GB, got " << memory;
    described.set(kMemory, builder.getI64IntegerAttr(*bytes));
  }
  for (StringRef rate : kRates) {
    Attribute value = config.erase(rate);
    auto integer = dyn_cast_if_present<IntegerAttr>(value);
    auto real = dyn_cast_if_present<FloatAttr>(value);
    if (value && !(integer && integer.getInt() > 0) && !(real && real.getValueAsDouble() > 0))
      return op->emitError() << "a device's " << rate << " is a positive number, got " << value;
    if (value)
      described.set(rate, value);
  }
  for (auto [key, most] : llvm::zip_equal(kCounts, kMost)) {
    Attribute value = config.erase(key);
    auto count = dyn_cast_if_present<IntegerAttr>(value);
    if (value && !(count && count.getInt() > 0 && count.getInt() <= most))
      return op->emitError() << "a device's " << key << " are a whole number from 1 to " << most << ", got " << value;
    if (value)
      described.set(key, value);
  }
  return success();
}

// Fails with a diagnostic at `op`.
static FailureOr<device::TargetAttr> expand(Operation *op, device::AliasAttr alias) {
  FailureOr<const Target *> target = findTarget(op, alias);
  NamedAttrList config(alias.getConfig()), described;
  if (failed(target) || failed(describe(op, config, described)))
    return failure();
  AliasOptions options;
  options.ordinal = alias.getOrdinal();
  options.config = config.getDictionary(op->getContext());
  FailureOr<device::TargetAttr> expanded = (*target)->expandAlias(op, alias.getName().getValue(), options);
  if (failed(expanded) || described.empty())
    return expanded;
  for (NamedAttribute entry : expanded->getConfig())
    described.set(entry.getName(), entry.getValue());
  return device::TargetAttr::get(op->getContext(), expanded->getDriver(), described.getDictionary(op->getContext()),
                                 expanded->getExecutables());
}

namespace {

struct ExpandAliases : mlir::heddle::impl::ExpandAliasesBase<ExpandAliases> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    expanded.clear();
    withoutCycle.clear();
    for (auto global : module.getOps<device::GlobalOp>())
      if (failed(flatten(global)) || failed(checkFallbacks(global, symbols)))
        return signalPassFailure();
    for (auto global : module.getOps<device::GlobalOp>())
      if (failed(checkCycle(global, symbols)))
        return signalPassFailure();
  }

  LogicalResult flatten(device::GlobalOp global);
  static LogicalResult checkFallbacks(device::GlobalOp global, SymbolTable &symbols);
  LogicalResult checkCycle(device::GlobalOp global, SymbolTable &symbols);

  // Equal aliases of many devices are expanded once.
  llvm::DenseMap<device::AliasAttr, device::TargetAttr> expanded;
  llvm::DenseSet<Operation *> withoutCycle;
};

} // namespace

LogicalResult ExpandAliases::flatten(device::GlobalOp global) {
  bool anyFailed = false;
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](device::AliasAttr alias) -> Attribute {
    device::TargetAttr &known = expanded[alias];
    if (!known && !anyFailed) {
      FailureOr<device::TargetAttr> target = expand(global, alias);
      anyFailed = failed(target);
      if (!anyFailed)
        known = *target;
    }
    return known ? Attribute(known) : alias;
  });
  Attribute device = replacer.replace(global.getDevice());
  if (anyFailed)
    return failure();
  SmallVector<Attribute> alternatives;
  cast<device::DeviceInitAttr>(device).getAlternatives(alternatives);
  llvm::SetVector<Attribute> unique(alternatives.begin(), alternatives.end());
  global.setDeviceAttr(unique.size() == 1 ? unique.front()
                                          : device::SelectAttr::get(global.getContext(), unique.getArrayRef()));
  return success();
}

static SmallVector<StringRef> getFallbacks(device::GlobalOp global) {
  SmallVector<StringRef> names;
  for (Attribute alternative : global.getAlternatives())
    if (auto fallback = dyn_cast<device::FallbackAttr>(alternative))
      names.push_back(fallback.getDevice().getValue());
  return names;
}

LogicalResult ExpandAliases::checkFallbacks(device::GlobalOp global, SymbolTable &symbols) {
  for (StringRef name : getFallbacks(global))
    if (!symbols.lookup<device::GlobalOp>(name))
      return global.emitError() << "falls back to @" << name << ", which is not declared"
                                << device::explainUndeclared(global->getParentOfType<ModuleOp>(), name);
  return success();
}

LogicalResult ExpandAliases::checkCycle(device::GlobalOp global, SymbolTable &symbols) {
  // Depth first; the path is what is being looked at.
  SmallVector<std::pair<device::GlobalOp, SmallVector<StringRef>>> path;
  auto enter = [&](device::GlobalOp next) { path.push_back({next, getFallbacks(next)}); };
  enter(global);
  while (!path.empty()) {
    auto &[current, rest] = path.back();
    if (rest.empty() || withoutCycle.contains(current)) {
      withoutCycle.insert(current);
      path.pop_back();
      continue;
    }
    auto next = symbols.lookup<device::GlobalOp>(rest.pop_back_val());
    auto seen = llvm::find_if(path, [&](const auto &entry) { return entry.first == next; });
    if (seen != path.end()) {
      InFlightDiagnostic error = next.emitError() << "falls back to itself: ";
      for (auto &step : llvm::make_range(seen, path.end()))
        error << '@' << step.first.getSymName() << " -> ";
      return error << '@' << next.getSymName() << "; a fallback must end at a device that can be there";
    }
    enter(next);
  }
  return success();
}
