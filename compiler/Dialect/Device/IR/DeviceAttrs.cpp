// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Syntax, rules and alternatives of the device dialect's attributes.
#include "compiler/Dialect/Device/IR/DeviceOps.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace mlir::heddle::device;

using EmitError = function_ref<InFlightDiagnostic()>;

static void printConfig(AsmPrinter &printer, DictionaryAttr config) {
  if (!config.empty())
    printer << ", " << config;
}

Attribute ExecutableAttr::parse(AsmParser &parser, Type) {
  StringAttr format;
  DictionaryAttr config = DictionaryAttr::get(parser.getContext());
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseAttribute(format) ||
      (succeeded(parser.parseOptionalComma()) && parser.parseAttribute(config)) || parser.parseGreater())
    return {};
  return parser.getChecked<ExecutableAttr>(loc, parser.getContext(), format, config);
}

void ExecutableAttr::print(AsmPrinter &printer) const {
  printer << "<" << getFormat();
  printConfig(printer, getConfig());
  printer << ">";
}

LogicalResult ExecutableAttr::verify(EmitError emitError, StringAttr format, DictionaryAttr) {
  if (format.empty())
    return emitError() << "an executable target needs a format, such as \"elf-x86_64\" or \"spirv\"";
  return success();
}

Attribute TargetAttr::parse(AsmParser &parser, Type) {
  StringAttr driver;
  SmallVector<ExecutableAttr> executables;
  SMLoc loc = parser.getCurrentLocation();
  DictionaryAttr config = DictionaryAttr::get(parser.getContext());
  if (parser.parseLess() || parser.parseAttribute(driver) || parser.parseComma())
    return {};
  if (failed(parser.parseOptionalLSquare()) &&
      (parser.parseAttribute(config) || parser.parseComma() || parser.parseLSquare()))
    return {};
  if (failed(parser.parseOptionalRSquare())) {
    auto parseExecutable = [&] {
      auto executable = FieldParser<ExecutableAttr>::parse(parser);
      return succeeded(executable) ? (executables.push_back(*executable), success()) : failure();
    };
    if (parser.parseCommaSeparatedList(parseExecutable) || parser.parseRSquare())
      return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<TargetAttr>(loc, parser.getContext(), driver, config, ArrayRef(executables));
}

void TargetAttr::print(AsmPrinter &printer) const {
  printer << "<" << getDriver();
  printConfig(printer, getConfig());
  printer << ", [";
  llvm::interleaveComma(getExecutables(), printer.getStream(),
                        [&](ExecutableAttr executable) { printer.printStrippedAttrOrType(executable); });
  printer << "]>";
}

TargetAttr TargetAttr::get(StringAttr driver, int64_t ordinal, ArrayRef<ExecutableAttr> executables) {
  Builder builder(driver.getContext());
  NamedAttrList config;
  if (ordinal >= 0)
    config.set("ordinal", builder.getI64IntegerAttr(ordinal));
  return get(driver.getContext(), driver, config.getDictionary(driver.getContext()), executables);
}

int64_t TargetAttr::getOrdinal() const {
  auto ordinal = getConfig().getAs<IntegerAttr>("ordinal");
  return ordinal ? ordinal.getInt() : -1;
}

LogicalResult TargetAttr::verify(EmitError emitError, StringAttr driver, DictionaryAttr config,
                                 ArrayRef<ExecutableAttr> executables) {
  if (driver.empty())
    return emitError() << "a device target needs the name of a runtime driver";
  for (StringRef key : {"ordinal", "given"}) {
    Attribute position = config.get(key);
    auto integer = dyn_cast_if_present<IntegerAttr>(position);
    if (position && (!integer || integer.getValue().isNegative()))
      return emitError() << "a device's " << key << " counts from 0 (any device without one), got " << position;
  }
  if (config.contains("ordinal") && config.contains("given"))
    return emitError() << "a device has an ordinal among those that match, or a position among all given, got both: "
                       << config;
  if (executables.empty())
    return emitError() << "a device target needs at least one #device.executable";
  return success();
}

void TargetAttr::getAlternatives(SmallVectorImpl<Attribute> &alternatives) const { alternatives.push_back(*this); }

Attribute AliasAttr::parse(AsmParser &parser, Type) {
  StringAttr name;
  int64_t ordinal = -1;
  DictionaryAttr config = DictionaryAttr::get(parser.getContext());
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseAttribute(name) ||
      (succeeded(parser.parseOptionalLSquare()) && (parser.parseInteger(ordinal) || parser.parseRSquare())) ||
      (succeeded(parser.parseOptionalComma()) && parser.parseAttribute(config)) || parser.parseGreater())
    return {};
  return parser.getChecked<AliasAttr>(loc, parser.getContext(), name, ordinal, config);
}

void AliasAttr::print(AsmPrinter &printer) const {
  printer << "<" << getName();
  if (getOrdinal() >= 0)
    printer << "[" << getOrdinal() << "]";
  printConfig(printer, getConfig());
  printer << ">";
}

LogicalResult AliasAttr::verify(EmitError emitError, StringAttr name, int64_t ordinal, DictionaryAttr) {
  if (name.empty())
    return emitError() << "a device alias needs a name, such as \"local\"";
  if (ordinal < -1)
    return emitError() << "a device's ordinal counts from 0, got " << ordinal;
  return success();
}

void AliasAttr::getAlternatives(SmallVectorImpl<Attribute> &alternatives) const { alternatives.push_back(*this); }

LogicalResult OrdinalAttr::verify(EmitError emitError, int64_t ordinal) {
  if (ordinal < 0)
    return emitError() << "a device's ordinal counts from 0, got " << ordinal;
  return success();
}

void OrdinalAttr::getAlternatives(SmallVectorImpl<Attribute> &alternatives) const { alternatives.push_back(*this); }

void FallbackAttr::getAlternatives(SmallVectorImpl<Attribute> &alternatives) const { alternatives.push_back(*this); }

Attribute SelectAttr::parse(AsmParser &parser, Type) {
  SmallVector<Attribute> devices;
  SMLoc loc = parser.getCurrentLocation();
  auto parseDevice = [&] { return parser.parseAttribute(devices.emplace_back()); };
  if (parser.parseLess() || parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseDevice) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<SelectAttr>(loc, parser.getContext(), ArrayRef(devices));
}

void SelectAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getDevices(), printer.getStream(), [&](Attribute device) { printer << device; });
  printer << "]>";
}

LogicalResult SelectAttr::verify(EmitError emitError, ArrayRef<Attribute> devices) {
  if (devices.empty())
    return emitError() << "a #device.select needs at least one device to select from";
  for (Attribute device : devices)
    if (!isa<DeviceInitAttr>(device))
      return emitError() << "a #device.select takes what a device can be, such as #device.target, #device.alias or "
                            "#device.fallback, got "
                         << device;
  return success();
}

void SelectAttr::getAlternatives(SmallVectorImpl<Attribute> &alternatives) const {
  for (Attribute device : getDevices())
    cast<DeviceInitAttr>(device).getAlternatives(alternatives);
}

static LogicalResult verifyQueues(EmitError emitError, ArrayRef<int64_t> queues) {
  for (size_t i = 0; i < queues.size(); ++i)
    if (queues[i] < (i ? queues[i - 1] + 1 : 0))
      return emitError() << "queues of an affinity count from 0 and stand in increasing order, each once, got "
                         << queues[i] << (i ? " after " + std::to_string(queues[i - 1]) : "");
  return success();
}

LogicalResult AffinityAttr::verify(EmitError emitError, FlatSymbolRefAttr, ArrayRef<int64_t> queues) {
  return verifyQueues(emitError, queues);
}

LogicalResult PromiseAttr::verify(EmitError emitError, FlatSymbolRefAttr, ArrayRef<int64_t> queues) {
  return verifyQueues(emitError, queues);
}

LogicalResult OptimalAttr::verify(EmitError emitError, ArrayRef<Attribute> affinities) {
  llvm::SmallDenseSet<Attribute> devices;
  for (Attribute attribute : affinities) {
    auto affinity = dyn_cast<AffinityAttr>(attribute);
    auto promise = dyn_cast<PromiseAttr>(attribute);
    if (!affinity && !promise)
      return emitError() << "a #device.optimal takes affinities, got " << attribute;
    if (FlatSymbolRefAttr device = affinity ? affinity.getDevice() : promise.getDevice();
        !devices.insert(device).second)
      return emitError() << "a #device.optimal names each device once, got " << device << " again";
  }
  if (affinities.empty())
    return emitError() << "a #device.optimal needs at least one affinity to choose from";
  return success();
}

LogicalResult NamedAttr::verify(EmitError emitError, StringAttr name, Attribute device) {
  if (name.empty())
    return emitError() << "a #device.named needs a name";
  if (!isa<DeviceInitAttr>(device))
    return emitError() << "a #device.named names what a device can be, such as #device.target, #device.alias or "
                          "#device.select, got "
                       << device;
  return success();
}

Attribute LinkAttr::parse(AsmParser &parser, Type) {
  FlatSymbolRefAttr from, to;
  DictionaryAttr config = DictionaryAttr::get(parser.getContext());
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseAttribute(from) || parser.parseArrow() || parser.parseAttribute(to) ||
      (succeeded(parser.parseOptionalComma()) && parser.parseAttribute(config)) || parser.parseGreater())
    return {};
  return parser.getChecked<LinkAttr>(loc, parser.getContext(), from, to, config);
}

void LinkAttr::print(AsmPrinter &printer) const {
  printer << "<" << getFrom() << " -> " << getTo();
  printConfig(printer, getConfig());
  printer << ">";
}

static std::optional<double> getNumber(DictionaryAttr config, StringRef key) {
  Attribute value = config.get(key);
  if (auto integer = dyn_cast_or_null<IntegerAttr>(value))
    return integer.getValue().signedRoundToDouble();
  if (auto real = dyn_cast_or_null<FloatAttr>(value))
    return real.getValueAsDouble();
  return std::nullopt;
}

LogicalResult LinkAttr::verify(EmitError emitError, FlatSymbolRefAttr from, FlatSymbolRefAttr to,
                               DictionaryAttr config) {
  if (from == to)
    return emitError() << "a link joins two devices, got " << from << " twice: a device is unified with itself";
  for (NamedAttribute entry : config) {
    StringRef key = entry.getName();
    if (key == "unified" || key == "transparent") {
      if (!isa<UnitAttr>(entry.getValue()))
        return emitError() << "a link's " << key << " has no value, got " << entry.getValue();
    } else if (key == "bandwidth_gbps" || key == "latency_us") {
      std::optional<double> number = getNumber(config, key);
      if (!number || *number < 0 || (key == "bandwidth_gbps" && *number == 0))
        return emitError() << "a link's " << key << " is a positive number, got " << entry.getValue();
    } else {
      return emitError() << "a link knows unified, transparent, bandwidth_gbps and latency_us, got " << entry.getName();
    }
  }
  return success();
}

std::optional<double> LinkAttr::getBandwidth() const {
  std::optional<double> number = getNumber(getConfig(), "bandwidth_gbps");
  return number ? std::optional(*number * 1e9) : std::nullopt;
}

std::optional<double> LinkAttr::getLatency() const {
  std::optional<double> number = getNumber(getConfig(), "latency_us");
  return number ? std::optional(*number * 1e-6) : std::nullopt;
}

LogicalResult TopologyAttr::verify(EmitError emitError, ArrayRef<LinkAttr> links) {
  llvm::DenseSet<std::pair<Attribute, Attribute>> known;
  for (LinkAttr link : links)
    if (!known.insert({link.getFrom(), link.getTo()}).second)
      return emitError() << "a topology has one link for each direction, got two from " << link.getFrom() << " to "
                         << link.getTo();
  return success();
}
