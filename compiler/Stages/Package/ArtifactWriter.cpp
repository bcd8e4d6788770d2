// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Device/IR/GivenPosition.h"
#include "compiler/Dialect/Encoding/IR/PhysicalLayout.h"
#include "compiler/Dialect/Flow/Analysis/WorkEstimate.h"
#include "compiler/Dialect/Flow/IR/FlowGlobals.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Heddle/IR/Expect.h"
#include "compiler/Dialect/Heddle/IR/ModelFacts.h"
#include "compiler/Dialect/Host/IR/ElementBytes.h"
#include "compiler/Dialect/Host/IR/ElementTypes.h"
#include "compiler/Stages/Package/Certify.h"
#include "compiler/Stages/Package/FunctionFlattener.h"
#include "compiler/Stages/Package/PackOverlaps.h"
#include "compiler/Stages/Package/Package.h"
#include "compiler/Stages/Package/Report.h"
#include "compiler/Target/TargetRegistry.h"
#include "heddle/contract/ArtifactBuilder.h"
#include "heddle/contract/ArtifactHash.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstring>

using namespace mlir;
using namespace mlir::heddle;
namespace fb = ::heddle::fb;
namespace contract = ::heddle::contract;

namespace {

// Fills the metadata of one module and hands code and parameters to the contract's builder.
class ModuleWriter {
public:
  ModuleWriter(ModuleOp module, const PackageOptions &options) : module(module), symbols(module), options(options) {}

  LogicalResult build();
  bool write(const contract::ArtifactBuilder::Sink &sink) const { return builder.write(out, sink); }

private:
  void addModelFacts();
  LogicalResult orderDevices();
  LogicalResult addFunctions();
  LogicalResult addGlobals();
  LogicalResult checkGlobalDevices();
  LogicalResult addDevices();
  LogicalResult describeAlternative(device::GlobalOp global, Attribute alternative, fb::DeviceTargetT &target);
  LogicalResult addExecutables();
  LogicalResult addExecutable(host::DispatchOp use);
  LogicalResult addVariant(flow::VariantOp op, fb::ExecutableT &executable);
  LogicalResult addParameters();
  LogicalResult addParameter(StringRef name);

  ModuleOp module;
  SymbolTable symbols;
  const PackageOptions &options;
  ArtifactTables tables;
  host::ElementBytes bytes;
  contract::ArtifactBuilder builder;
  fb::ModuleT out;
  std::vector<std::vector<uint32_t>> runs; // of each function (FunctionFlattener)
  llvm::DenseMap<uint64_t, SmallVector<std::pair<std::span<const std::byte>, size_t>>> stored; // by hash
};

} // namespace

LogicalResult ModuleWriter::build() {
  out.producer = options.producer;
  addModelFacts();
  FailureOr<std::string> report = buildReport(module, options.report);
  if (failed(report) || failed(orderDevices()) || failed(addFunctions()) || failed(addGlobals()) ||
      failed(addDevices()) || failed(addExecutables()) || failed(addParameters()))
    return failure();
  out.report = *report;
  out.plans = tables.takePlans();
  out.bounds = tables.takeBounds();
  out.layouts = tables.takeLayouts();
  out.collectives = tables.takeCollectives();
  if (failed(packOverlaps(module, tables, out)))
    return failure();
  out.meshes = tables.takeMeshes();
  for (const std::string &message : tables.messages())
    out.messages.push_back(message);
  out.locations = tables.takeLocations();
  certify(module, out, runs);
  return success();
}

void ModuleWriter::addModelFacts() {
  auto add = [](std::vector<std::unique_ptr<fb::KeyValueT>> &to, NamedAttribute fact) {
    auto pair = std::make_unique<fb::KeyValueT>();
    pair->key = fact.getName().str();
    pair->value = cast<StringAttr>(fact.getValue()).str();
    to.push_back(std::move(pair));
  };
  auto facts = module->getAttrOfType<DictionaryAttr>(kModelAttr);
  if (!facts)
    return;
  for (NamedAttribute fact : facts)
    if (auto metadata = dyn_cast<DictionaryAttr>(fact.getValue()))
      for (NamedAttribute own : metadata)
        add(out.metadata, own);
    else
      add(out.model, fact);
}

// Devices stand in the order of their declaration, by which the loader tells those that are alike apart. Which ones the
// artifact has, a first flattening says, and the fallbacks of those.
LogicalResult ModuleWriter::orderDevices() {
  auto globals = llvm::to_vector(module.getOps<device::GlobalOp>());
  if (globals.size() < 2)
    return success();
  ArtifactTables named;
  for (auto func : module.getOps<host::FuncOp>())
    if (failed(FunctionFlattener(func, named).flatten()))
      return failure();
  for (auto mesh : module.getOps<device::MeshOp>())
    named.mesh(mesh, FlatSymbolRefAttr::get(mesh.getSymNameAttr()));
  llvm::StringMap<device::GlobalOp> declared;
  for (device::GlobalOp global : globals)
    declared[global.getSymName()] = global;
  for (size_t i = 0; i < named.devices().size(); ++i)
    if (device::GlobalOp global = declared.lookup(named.devices()[i]))
      for (Attribute alternative : global.getAlternatives())
        if (auto fallback = dyn_cast<device::FallbackAttr>(alternative))
          named.device(fallback.getDevice().getValue());
  llvm::StringSet<> names;
  names.insert_range(named.devices());
  for (device::GlobalOp global : globals)
    if (names.contains(global.getSymName()))
      tables.device(global.getSymName());
  return success();
}

// All meshes are kept: they say how many ranks the program has.
LogicalResult ModuleWriter::addFunctions() {
  for (auto mesh : module.getOps<device::MeshOp>())
    tables.mesh(mesh, FlatSymbolRefAttr::get(mesh.getSymNameAttr()));
  for (auto func : module.getOps<host::FuncOp>()) {
    FunctionFlattener flattener(func, tables);
    auto function = flattener.flatten();
    if (failed(function))
      return failure();
    runs.push_back(flattener.takeRuns());
    out.functions.push_back(std::move(*function));
  }
  if (out.functions.empty())
    return module.emitError() << "an artifact needs an entry point: the module has no host.func";
  return success();
}

// Types and initial values; an initial value is a parameter of the global's name.
LogicalResult ModuleWriter::addGlobals() {
  for (auto &global : tables.getGlobals()) {
    auto op = symbols.lookup<flow::GlobalOp>(global->name);
    if (!op)
      return module.emitError() << "names no flow.global: @" << global->name;
    auto type = cast<RankedTensorType>(op.getType());
    for (int64_t size : type.getShape())
      global->dims.push_back(ShapedType::isDynamic(size) ? contract::kUnknownSize : size);
    if (op.getValue())
      global->initial = tables.parameter(global->name);
  }
  out.globals = std::move(tables.getGlobals());
  return checkGlobalDevices();
}

// A global lies on one device for all entry points.
LogicalResult ModuleWriter::checkGlobalDevices() {
  for (auto &function : out.functions)
    for (auto *values : {&function->arguments, &function->results})
      for (auto &value : *values)
        if (value->state >= 0 && value->device != out.globals[value->state]->device)
          return module.emitError() << "@" << out.globals[value->state]->name << " is on two devices, in @"
                                    << function->name << " on another one; give the flow.global a heddle.affinity";
  return success();
}

// Devices that only a fallback names are added on the way.
LogicalResult ModuleWriter::addDevices() {
  for (size_t i = 0; i < tables.devices().size(); ++i) {
    std::string name = tables.devices()[i];
    auto global = symbols.lookup<device::GlobalOp>(name);
    if (!global)
      return module.emitError() << "names no device.global: @" << name;
    auto device = std::make_unique<fb::DeviceT>();
    device->name = name;
    for (Attribute alternative : global.getAlternatives()) {
      auto target = std::make_unique<fb::DeviceTargetT>();
      if (failed(describeAlternative(global, alternative, *target)))
        return failure();
      device->alternatives.push_back(std::move(target));
    }
    out.devices.push_back(std::move(device));
  }
  return success();
}

LogicalResult ModuleWriter::describeAlternative(device::GlobalOp global, Attribute alternative,
                                                fb::DeviceTargetT &target) {
  if (auto fallback = dyn_cast<device::FallbackAttr>(alternative)) {
    target.fallback = fallback.getDevice().getValue().str();
    tables.device(target.fallback);
    return success();
  }
  auto described = dyn_cast<device::TargetAttr>(alternative);
  if (!described)
    return global.emitError() << "an artifact cannot say that a device may be " << alternative;
  target.driver = described.getDriver().str();
  target.ordinal = described.getOrdinal();
  target.given = device::getGivenPosition(described);
  for (device::ExecutableAttr executable : described.getExecutables()) {
    if (!llvm::is_contained(target.formats, executable.getFormat().getValue()))
      target.formats.push_back(executable.getFormat().str());
    FailureOr<const Target *> registered = getTarget(global, executable);
    if (failed(registered))
      return failure();
    ArrayAttr features = (*registered)->getRequiredFeatures(executable);
    if (!features) // its variants say themselves what they need: the format is all that they have in common
      continue;
    auto needed = std::make_unique<fb::ExecutableTargetT>();
    needed->format = executable.getFormat().str();
    for (auto feature : features.getAsRange<StringAttr>())
      needed->features.push_back(feature.str());
    target.executables.push_back(std::move(needed));
  }
  return success();
}

LogicalResult ModuleWriter::addExecutables() {
  for (host::DispatchOp use : tables.executables())
    if (failed(addExecutable(use)))
      return failure();
  return success();
}

LogicalResult ModuleWriter::addExecutable(host::DispatchOp use) {
  auto op = symbols.lookup<flow::ExecutableOp>(use.getExecutable());
  auto executable = std::make_unique<fb::ExecutableT>();
  auto entry = std::make_unique<fb::ExportT>();
  executable->name = entry->name = op.getSymName().str();
  entry->location = tables.location(op.getLoc());
  entry->bindings = use.getBindings().size();
  entry->constants = use.getConstants().size();
  for (unsigned i = 0; i < entry->bindings; ++i) {
    entry->reads.push_back(use.reads(i));
    entry->writes.push_back(use.writes(i));
  }
  if (func::FuncOp function = op.getFunction()) {
    flow::Work work = flow::estimateWork(function);
    auto expected = op->getAttrOfType<DenseI64ArrayAttr>(kWorkAttr);
    entry->flops = expected ? expected[0] : work.flops;
    entry->bytes = expected ? expected[1] : work.bytes;
  }
  executable->exports.push_back(std::move(entry));
  for (auto variant : op.getBody().getOps<flow::VariantOp>())
    if (failed(addVariant(variant, *executable)))
      return failure();
  out.executables.push_back(std::move(executable));
  return success();
}

LogicalResult ModuleWriter::addVariant(flow::VariantOp op, fb::ExecutableT &executable) {
  auto object = bytes.of(op.getObject(), op);
  if (failed(object))
    return failure();
  auto variant = std::make_unique<fb::VariantT>();
  variant->target = op.getTarget().str();
  variant->format = op.getFormat().str();
  for (Attribute feature : op.getFeatures()) {
    auto name = dyn_cast<StringAttr>(feature);
    if (!name)
      return op.emitOpError() << "lists its features as strings, got " << feature;
    variant->features.push_back(name.str());
  }
  variant->symbols.push_back(op.getSymbol().str());
  if (std::optional<ArrayRef<int64_t>> record = op.getLaunch()) {
    auto launch = std::make_unique<fb::LaunchT>();
    launch->block_x = static_cast<uint32_t>((*record)[0]);
    launch->block_y = static_cast<uint32_t>((*record)[1]);
    launch->block_z = static_cast<uint32_t>((*record)[2]);
    launch->shared_bytes = static_cast<uint32_t>((*record)[3]);
    variant->launches.push_back(std::move(launch));
  }
  builder.addCode(*variant, *object);
  executable.variants.push_back(std::move(variant));
  return success();
}

LogicalResult ModuleWriter::addParameters() {
  for (const std::string &name : tables.parameters())
    if (failed(addParameter(name)))
      return failure();
  return success();
}

// What stands between the brackets of `#encoding.layout<…>`; "" for rows.
static std::string spellLayout(RankedTensorType type) {
  encoding::LayoutAttr layout = encoding::getLayout(type);
  if (!layout)
    return "";
  std::string text;
  llvm::raw_string_ostream(text) << layout;
  StringRef inner = StringRef(text).split('<').second;
  inner.consume_back(">");
  return inner.str();
}

LogicalResult ModuleWriter::addParameter(StringRef name) {
  auto op = symbols.lookup<flow::ParameterOp>(name);
  auto global = symbols.lookup<flow::GlobalOp>(name);
  if (!op && !global)
    return module.emitError() << "names no flow.parameter: @" << name;
  auto data = op ? bytes.of(op.getValue(), op) : bytes.of(*global.getValue(), global);
  if (failed(data))
    return failure();
  auto type =
      cast<RankedTensorType>(op ? op.getType() : global.getValue()->getShapedType()); // it may be that of a whole
  auto parameter = std::make_unique<fb::ParameterT>();
  parameter->scope = op ? op.getScope().value_or("").str() : "";
  parameter->key = name.str();
  parameter->type = static_cast<uint8_t>(host::getElementType(type.getElementType()));
  parameter->shape.assign(type.getShape().begin(), type.getShape().end());
  parameter->layout = spellLayout(type);
  uint64_t hash = contract::hashBytes(*data);
  for (auto [other, index] : stored[hash])
    if (other.size() == data->size() && std::memcmp(other.data(), data->data(), data->size()) == 0) {
      parameter->offset = out.parameters[index]->offset;
      parameter->bytes = data->size();
      parameter->hash = hash;
      out.parameters.push_back(std::move(parameter));
      return success();
    }
  stored[hash].push_back({*data, out.parameters.size()});
  builder.addParameter(*parameter, *data);
  out.parameters.push_back(std::move(parameter));
  return success();
}

//===--- File ----------------------------------------------------------------------------------------------------===//

static LogicalResult verifyFile(ModuleOp module, StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false,
                                          /*IsVolatile=*/false, llvm::Align(contract::kParameterAlignment));
  if (!file)
    return module.emitError() << "cannot read back the artifact: " << file.getError().message();
  StringRef data = (*file)->getBuffer();
  if (auto error = contract::verifyArtifact({reinterpret_cast<const std::byte *>(data.data()), data.size()}))
    return module.emitError() << "wrote an artifact that its verifier refuses, a bug of the compiler: "
                              << error->message;
  return success();
}

LogicalResult mlir::heddle::writeArtifact(ModuleOp module, StringRef path, const PackageOptions &options) {
  ModuleWriter writer(module, options);
  if (failed(writer.build()))
    return failure();
  // Renaming would replace a device or a pipe by a file.
  if (llvm::sys::fs::exists(path) && !llvm::sys::fs::is_regular_file(path))
    return module.emitError() << "cannot write " << path << ": an artifact goes to a regular file";
  SmallString<128> temporary;
  int descriptor = -1;
  if (std::error_code error =
          llvm::sys::fs::createUniqueFile(path + ".%%%%%%%%", descriptor, temporary, llvm::sys::fs::OF_None, 0666))
    return module.emitError() << "cannot write " << path << ": " << error.message();
  llvm::scope_exit removeTemporary([&] { llvm::sys::fs::remove(temporary); });
  {
    llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
    writer.write([&](const void *data, size_t size) {
      stream.write(static_cast<const char *>(data), size);
      return !stream.has_error();
    });
    stream.flush();
    if (std::error_code error = stream.error()) {
      stream.clear_error();
      return module.emitError() << "cannot write " << path << ": " << error.message();
    }
  }
  if (failed(verifyFile(module, temporary)))
    return failure();
  if (std::error_code error = llvm::sys::fs::rename(temporary, path))
    return module.emitError() << "cannot write " << path << ": " << error.message();
  removeTemporary.release();
  return success();
}
