// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Onnx/Model/Model.h"

#include "compiler/Stages/Import/Emit/Sizes.h"
#include "compiler/Stages/Import/Onnx/Model/WireScanner.h"
#include "onnx-ml.pb.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <set>

using namespace mlir;
using namespace mlir::heddle::importer;

StringRef mlir::heddle::importer::spellDomain(StringRef domain) { return domain.empty() ? "ai.onnx" : domain; }

std::string mlir::heddle::importer::qualifiedName(const Node &node) {
  return node.domain.empty() ? node.op : node.domain + "." + node.op;
}

// The newest operator set of ai.onnx that the lowerings know.
static constexpr int64_t kNewestOpset = 27;

// Models before this IR version import no operator sets: theirs is the first one.
static constexpr int64_t kFirstIrWithOpsets = 3;

// Up to IR version 3 every initialiser must be listed among the inputs, and is a constant. From 4 on those that are
// listed are defaults that callers may replace. Exporters that list all the weights of a network mean constants: more
// than this many are, and so are larger ones, matrices, and integers, which are shapes, axes and positions.
static constexpr int64_t kFirstIrWithDefaults = 4;
static constexpr size_t kMostDefaults = 8;
static constexpr int64_t kMostDefaultElements = 64;

static bool canBeDefault(RankedTensorType type) {
  bool isShort = type.getRank() == 1 && type.getDimSize(0) > 0 && type.getDimSize(0) <= kMostDefaultElements;
  return isa<FloatType>(type.getElementType()) && (type.getRank() == 0 || isShort);
}

namespace {

class ModelLoader {
public:
  ModelLoader(StringRef path, MLIRContext *context)
      : path(path), context(context), location(FileLineColLoc::get(context, path, 0, 0)) {}

  FailureOr<Model> load() {
    if (failed(parse()) || failed(readOpsets()) || failed(readInitializers()) || failed(readPorts()) ||
        failed(readNodes()) || failed(checkForeignInputs()) || failed(sortMainGraph()))
      return failure();
    return std::move(model);
  }

private:
  InFlightDiagnostic error() { return emitError(location); }
  InFlightDiagnostic invalid() { return std::move(error() << "invalid model: "); }

  NodeReader reader() const { return {context, location, *model.proto, model.source, opsets}; }

  LogicalResult parse();
  LogicalResult readOpsets();
  LogicalResult readInitializers();
  LogicalResult readPorts();
  LogicalResult readPort(const onnx::ValueInfoProto &info, bool isInput, Port &port);
  LogicalResult readDefaults(ArrayRef<const onnx::ValueInfoProto *> listed);
  LogicalResult readNodes();
  LogicalResult checkForeignInputs();
  LogicalResult sortMainGraph();

  StringRef path;
  MLIRContext *context;
  Location location;
  Model model;
  std::vector<std::optional<StringRef>> rawData;
  llvm::StringMap<int64_t> opsets;
  llvm::StringSet<> constants; // names of initialisers
  std::vector<const onnx::ValueInfoProto *> foreignInputs;
};

} // namespace

LogicalResult ModelLoader::parse() {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return error() << "cannot read the model: " << file.getError().message();
  std::shared_ptr<llvm::MemoryBuffer> buffer = std::move(*file);
  ScannedModel scanned = cutOutWeights(buffer->getBuffer());
  auto proto = std::make_shared<onnx::ModelProto>();
  if (buffer->getBufferSize() == 0)
    return error() << "is not an ONNX model: the file is empty; copy or export it again";
  if (buffer->getBuffer().starts_with("version https://git-lfs"))
    return error() << "is a pointer of Git LFS, not an ONNX model; fetch the model itself: git lfs pull";
  if (!proto->ParseFromString(scanned.rest))
    return error() << "is not an ONNX model: it is truncated or not in protobuf format; copy or export it again";
  if (!proto->has_graph())
    return error() << "is not an ONNX model: it has no graph";
  rawData = std::move(scanned.rawData);
  rawData.resize(proto->graph().initializer_size());
  model.proto = proto;
  model.source.owner = std::make_shared<std::pair<decltype(buffer), decltype(proto)>>(buffer, proto);
  model.source.folder = llvm::sys::path::parent_path(path);
  return success();
}

LogicalResult ModelLoader::readOpsets() {
  for (const auto &opset : model.proto->opset_import())
    opsets[opset.domain() == "ai.onnx" ? "" : opset.domain()] = opset.version();
  if (opsets.empty() && model.proto->ir_version() < kFirstIrWithOpsets)
    opsets[""] = 1;
  auto found = opsets.find("");
  if (found != opsets.end() && (found->second < 1 || found->second > kNewestOpset))
    return error() << "the model needs operator set ai.onnx " << found->second << "; supported are 1 to "
                   << kNewestOpset << ": convert it with onnx.version_converter, or export it anew";
  return success();
}

LogicalResult ModelLoader::readInitializers() {
  return reader().readInitializers(model.proto->graph(), rawData, model.initializers, model.foreign, constants);
}

LogicalResult ModelLoader::readPort(const onnx::ValueInfoProto &info, bool isInput, Port &port) {
  const char *what = isInput ? "input '" : "output '";
  port.name = info.name();
  if (port.name.empty())
    return invalid() << "an " << (isInput ? "input" : "output") << " of the model has no name";
  if (!info.has_type() && !isInput)
    return success();
  const onnx::TypeProto *type = &info.type();
  if (type->has_optional_type()) {
    type = &type->optional_type().elem_type();
    if (isInput)
      emitWarning(location) << "input '" << port.name << "' is optional; every call must give it";
  }
  if (!type->has_tensor_type())
    return error() << what << port.name << "' must be a tensor; sequences, maps and optional values are not supported: "
                   << (isInput ? "give each tensor an input of its own, or stack them in one and cut that with "
                                 "SplitToSequence"
                               : "return each tensor by itself (SequenceAt), or all in one (ConcatFromSequence)");
  const auto &tensor = type->tensor_type();
  port.elementType = getElementType(context, tensor.elem_type());
  if (!port.elementType)
    return error() << what << port.name << "': element type " << getDataTypeName(tensor.elem_type())
                   << " is not supported";
  port.ranked = tensor.has_shape();
  if (!port.ranked && isInput)
    return error() << what << port.name << "' must have a rank: give it a shape, with names for free dimensions";
  for (const auto &dim : tensor.shape().dim()) {
    bool isFree = !dim.has_dim_value() || dim.dim_value() == -1; // -1: what Paddle's exporter writes
    if (!isFree && dim.dim_value() < 0)
      return invalid() << what << port.name << "' has a negative dimension: " << dim.dim_value();
    port.shape.push_back(isFree ? ShapedType::kDynamic : dim.dim_value());
    port.dimNames.push_back(dim.dim_param() == "?" ? "" : dim.dim_param()); // Paddle again: no name
  }
  uint64_t elements = 1;
  for (int64_t dim : port.shape)
    elements =
        ShapedType::isDynamic(dim) ? elements : llvm::SaturatingMultiply<uint64_t>(elements, std::max<int64_t>(dim, 1));
  if (elements > static_cast<uint64_t>(Sizes::kMostElements))
    return error() << what << port.name << "' is larger than any memory";
  return success();
}

LogicalResult ModelLoader::readPorts() {
  const onnx::GraphProto &graph = model.proto->graph();
  llvm::StringSet<> names;
  std::vector<const onnx::ValueInfoProto *> listed; // initialisers
  for (const auto &info : graph.input()) {
    if (constants.contains(info.name())) {
      if (!info.name().empty() && names.insert(info.name()).second)
        listed.push_back(&info);
      continue;
    }
    if (info.type().has_tensor_type() && isForeignType(info.type().tensor_type().elem_type())) {
      foreignInputs.push_back(&info);
      continue;
    }
    if (failed(readPort(info, /*isInput=*/true, model.inputs.emplace_back())))
      return failure();
    if (!names.insert(info.name()).second)
      return invalid() << "two inputs have the name '" << info.name() << "'";
  }
  if (failed(readDefaults(listed)))
    return failure();
  for (const auto &info : graph.output())
    if (failed(readPort(info, /*isInput=*/false, model.outputs.emplace_back())))
      return failure();
  if (model.outputs.empty())
    return invalid() << "the model has no output";
  return success();
}

// Initialisers that callers may replace become inputs too, behind those that they must give.
LogicalResult ModelLoader::readDefaults(ArrayRef<const onnx::ValueInfoProto *> listed) {
  if (model.proto->ir_version() < kFirstIrWithDefaults || listed.size() > kMostDefaults)
    return success();
  for (const onnx::ValueInfoProto *info : listed) {
    auto found = llvm::find_if(model.initializers, [&](const auto &entry) { return entry.first == info->name(); });
    if (found == model.initializers.end() || !canBeDefault(found->second.type))
      continue;
    RankedTensorType type = found->second.type;
    Port port;
    port.name = info->name();
    port.elementType = type.getElementType();
    port.ranked = true;
    llvm::append_range(port.shape, type.getShape());
    port.dimNames.resize(port.shape.size());
    model.inputs.push_back(std::move(port));
  }
  return success();
}

LogicalResult ModelLoader::readNodes() {
  NodeReader reader = this->reader();
  for (auto [index, proto] : llvm::enumerate(model.proto->graph().node())) {
    FailureOr<Node> node = reader.read(proto, static_cast<int64_t>(index));
    if (failed(node))
      return failure();
    model.nodes.push_back(std::move(*node));
  }
  return inlineFunctions(*model.proto, model.nodes, reader);
}

// Inputs of types that no program has are left out where nothing reads them.
LogicalResult ModelLoader::checkForeignInputs() {
  llvm::StringSet<> read;
  for (const Node &node : model.nodes)
    collectReads(node, read);
  for (const Port &port : model.outputs)
    read.insert(port.name);
  for (const onnx::ValueInfoProto *info : foreignInputs) {
    std::string type = getDataTypeName(info->type().tensor_type().elem_type());
    if (read.contains(info->name()))
      return error() << "input '" << info->name() << "': element type " << type << " is not supported";
    emitWarning(location) << "input '" << info->name() << "' has elements of type " << type
                          << " and nothing reads it: the program has no such input";
  }
  return success();
}

LogicalResult ModelLoader::sortMainGraph() {
  llvm::StringSet<> available;
  for (const Port &port : model.inputs)
    available.insert(port.name);
  available.insert_range(constants.keys());
  if (failed(sortNodes(model.nodes, &available, location)))
    return failure();
  for (const Node &node : model.nodes)
    for (const std::string &output : node.outputs)
      available.insert(output);
  for (const Port &port : model.outputs)
    if (port.name.empty() || !available.contains(port.name))
      return invalid() << "nothing defines the output '" << port.name << "'";
  return success();
}

FailureOr<Model> mlir::heddle::importer::loadModel(StringRef path, MLIRContext *context) {
  return ModelLoader(path, context).load();
}
