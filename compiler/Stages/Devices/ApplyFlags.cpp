// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Devices/DeviceFlags.h"
#include "compiler/Stages/Devices/Passes.h"
#include "compiler/Target/TargetRegistry.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_APPLYFLAGS
#include "compiler/Stages/Devices/Passes.h.inc"
} // namespace mlir::heddle

static Attribute toAttribute(Builder &builder, const FlagValue &value) {
  if (value.kind == FlagValue::List)
    return builder.getArrayAttr(
        llvm::map_to_vector(value.items, [&](const FlagValue &item) { return toAttribute(builder, item); }));
  int64_t integer;
  double real;
  if (value.kind == FlagValue::Number && !StringRef(value.text).getAsInteger(10, integer))
    return builder.getI64IntegerAttr(integer);
  if (value.kind == FlagValue::Number && !StringRef(value.text).getAsDouble(real))
    return builder.getF64FloatAttr(real);
  return builder.getStringAttr(value.text);
}

namespace {

// One flag as an attribute for each of its devices.
class Converter {
public:
  Converter(ModuleOp module, const DeviceFlag &flag, ArrayAttr cpus)
      : module(module), builder(module), flag(flag), cpus(cpus) {}

  // Appends them. Fails with a diagnostic at the module.
  LogicalResult convert(SmallVectorImpl<Attribute> &devices);

private:
  FailureOr<Attribute> convert(const DeviceSpec &spec);
  FailureOr<Attribute> parse(const DeviceSpec &spec);
  Attribute makeAlias(const DeviceSpec &spec);
  Attribute makeMember(Attribute first, uint32_t member);

  ModuleOp module;
  Builder builder;
  const DeviceFlag &flag;
  ArrayAttr cpus; // of `--target-cpu`; null when there is none
  bool usedCpus = false;
};

} // namespace

FailureOr<Attribute> Converter::parse(const DeviceSpec &spec) {
  FlagError error{"expected an attribute that says what a device can be, such as #device.target<…>", spec.position};
  Attribute attribute;
  {
    ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &diagnostic) {
      error.message = diagnostic.str();
      if (auto loc = dyn_cast<FileLineColLoc>(diagnostic.getLocation()))
        error.position = spec.position + std::max(1u, loc.getColumn()) - 1;
      return success();
    });
    attribute = parseAttribute(spec.text, module.getContext());
  }
  if (isa_and_nonnull<device::DeviceInitAttr>(attribute))
    return attribute;
  return module.emitError() << "--target-device: " << pointAt(flag.text, error);
}

Attribute Converter::makeAlias(const DeviceSpec &spec) {
  NamedAttrList config;
  for (const auto &[key, value] : spec.options)
    config.append(key, toAttribute(builder, value));
  const Target *target = findTargetOfAlias(spec.text);
  if (cpus && target && llvm::is_contained(target->getOptions(), "cpu")) {
    usedCpus = true;
    if (!config.get("cpu"))
      config.append("cpu", cpus);
  }
  return device::AliasAttr::get(module.getContext(), builder.getStringAttr(spec.text), spec.ordinal.value_or(-1),
                                config.getDictionary(module.getContext()));
}

FailureOr<Attribute> Converter::convert(const DeviceSpec &spec) {
  switch (spec.kind) {
  case DeviceSpec::Attribute: return parse(spec);
  case DeviceSpec::Fallback:
    return Attribute(
        device::FallbackAttr::get(module.getContext(), FlatSymbolRefAttr::get(module.getContext(), spec.text)));
  case DeviceSpec::Alias: return makeAlias(spec);
  }
  llvm_unreachable("not a kind of spec");
}

// The ordinal or position that a device names, which grows from member to member; -1: none.
static int64_t ordinalOf(Attribute device) {
  return TypeSwitch<Attribute, int64_t>(device)
      .Case<device::AliasAttr, device::OrdinalAttr, device::TargetAttr>([](auto named) { return named.getOrdinal(); })
      .Default(int64_t{-1});
}

// What the flag's device is for a member.
Attribute Converter::makeMember(Attribute first, uint32_t member) {
  MLIRContext *context = module.getContext();
  int64_t ordinal = ordinalOf(first) + member;
  if (ordinalOf(first) < 0)
    return first;
  if (auto alias = dyn_cast<device::AliasAttr>(first))
    return device::AliasAttr::get(context, alias.getName(), ordinal, alias.getConfig());
  if (isa<device::OrdinalAttr>(first))
    return device::OrdinalAttr::get(context, ordinal);
  auto target = cast<device::TargetAttr>(first);
  NamedAttrList config(target.getConfig());
  config.set("ordinal", builder.getI64IntegerAttr(ordinal));
  return device::TargetAttr::get(context, target.getDriver(), config.getDictionary(context), target.getExecutables());
}

LogicalResult Converter::convert(SmallVectorImpl<Attribute> &devices) {
  SmallVector<Attribute> firsts;
  for (const DeviceSpec &spec : flag.specs) {
    FailureOr<Attribute> device = convert(spec);
    if (failed(device))
      return failure();
    if (ordinalOf(*device) > INT32_MAX - static_cast<int64_t>(flag.members() - 1))
      return module.emitError() << "--target-device: "
                                << pointAt(flag.text, {"the last of these devices has an ordinal above 2147483647",
                                                       spec.position});
    firsts.push_back(*device);
  }
  if (cpus && !usedCpus)
    return module.emitError() << "--target-cpu names processors, and '" << flag.text
                              << "' names no device that has them";
  for (uint32_t member = 0; member < flag.members(); ++member) {
    auto alternatives = llvm::map_to_vector(firsts, [&](Attribute first) { return makeMember(first, member); });
    Attribute device =
        alternatives.size() == 1 ? alternatives.front() : device::SelectAttr::get(module.getContext(), alternatives);
    if (!flag.name.empty())
      device = device::NamedAttr::get(module.getContext(), builder.getStringAttr(flag.nameOf(member)), device);
    devices.push_back(device);
  }
  return success();
}

namespace {

struct ApplyFlags : mlir::heddle::impl::ApplyFlagsBase<ApplyFlags> {
  using ApplyFlagsBase::ApplyFlagsBase;
  ApplyFlags(ArrayRef<DeviceFlag> flags, const ApplyFlagsOptions &options) : ApplyFlagsBase(options), parsed(flags) {}

  void runOnOperation() override {
    ModuleOp module = getOperation();
    Builder builder(module);
    if (!defaultDevice.empty()) {
      int64_t position;
      bool isPosition = !StringRef(defaultDevice).getAsInteger(10, position) && position >= 0;
      module->setAttr(device::DeviceDialect::kDefaultAttr, isPosition ? Attribute(builder.getI64IntegerAttr(position))
                                                                      : builder.getStringAttr(defaultDevice));
    }
    if (failed(addTargets(module, builder)))
      signalPassFailure();
  }

  LogicalResult addTargets(ModuleOp module, Builder &builder) {
    auto globals = module.getOps<device::GlobalOp>();
    if (!globals.empty())
      return checkAlone(*globals.begin());
    if (module->hasAttr(device::DeviceDialect::kTargetsAttr))
      return checkAlone(module);
    std::vector<DeviceFlag> flags(parsed);
    if (std::string message = flags.empty() ? parse(flags) : ""; !message.empty())
      return module.emitError() << message;
    SmallVector<StringRef> processors(cpus.begin(), cpus.end());
    ArrayAttr processorList = cpus.empty() ? ArrayAttr() : builder.getStrArrayAttr(processors);
    SmallVector<Attribute> devices;
    for (const DeviceFlag &flag : flags)
      if (failed(Converter(module, flag, processorList).convert(devices)))
        return failure();
    module->setAttr(device::DeviceDialect::kTargetsAttr, builder.getArrayAttr(devices));
    return success();
  }

  // The pass options, which are texts; without any the host CPU.
  std::string parse(std::vector<DeviceFlag> &flags) {
    std::vector<std::string> texts(targets.begin(), targets.end());
    if (texts.empty())
      texts.push_back("local");
    return parseDeviceFlags(texts, !cpus.empty(), flags);
  }

  // The module says what its devices are at `declared`.
  LogicalResult checkAlone(Operation *declared) {
    if (targets.empty() && cpus.empty())
      return success();
    std::string flags;
    for (const std::string &text : targets)
      flags += " --target-device=" + text;
    if (!cpus.empty())
      flags += " --target-cpu=" + llvm::join(cpus, ",");
    return declared->emitError() << "the module declares its devices here, and the flags" << flags
                                 << " declare them too: give them in one place";
  }

  std::vector<DeviceFlag> parsed; // the same as `targets`, where who made the pass had them
};

} // namespace

std::unique_ptr<Pass> mlir::heddle::createApplyFlags(ArrayRef<DeviceFlag> targets, ArrayRef<std::string> cpus,
                                                     StringRef defaultDevice) {
  ApplyFlagsOptions options;
  llvm::append_range(options.targets, llvm::map_range(targets, [](const DeviceFlag &flag) { return flag.text; }));
  llvm::append_range(options.cpus, cpus);
  options.defaultDevice = defaultDevice.str();
  return std::make_unique<ApplyFlags>(targets, options);
}
