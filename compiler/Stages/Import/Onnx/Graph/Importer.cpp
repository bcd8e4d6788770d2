// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Onnx/Graph/Importer.h"

#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Flow/IR/FlowShardings.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Heddle/IR/ModelFacts.h"
#include "compiler/Dialect/Heddle/IR/Shards.h"
#include "compiler/Dialect/Heddle/IR/State.h"
#include "compiler/Dialect/Intent/IR/IntentOps.h"
#include "compiler/Stages/Import/Onnx/Aggregate.h"
#include "compiler/Stages/Import/Onnx/Graph/GraphImporter.h"
#include "compiler/Stages/Import/Onnx/Model/DeviceAnnotations.h"
#include "compiler/Stages/Import/Onnx/Model/FixedSizes.h"
#include "compiler/Stages/Import/Onnx/Model/ShardingSpecs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "onnx-ml.pb.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;

namespace {

// The module around the graph: the entry point's signature and its return.
class ModelImporter {
public:
  // `added`: outputs that are left out where they are no tensors.
  ModelImporter(const Model &model, const llvm::StringSet<> &added, StringRef path, MLIRContext *context,
                const FormModel &forms, ShardRequests *requests)
      : model(model), added(added), context(context), location(FileLineColLoc::get(context, path, 0, 0)), forms(forms),
        requests(requests) {}

  OwningOpRef<ModuleOp> run() {
    module = ModuleOp::create(location);
    FailureOr<ShardingSpecs> specs = ShardingSpecs::plan(model.nodes, *model.proto, location);
    if (failed(specs))
      return {};
    createEntry();
    emitter.emplace(*module, &entry.getBody().front(), forms);
    if (!requests)
      for (const std::string &mesh : specs->meshNames())
        emitter->reserve(mesh);
    SmallVector<Tensor> inputs = bindInputs();
    Sharder sharder(*specs, requests, *emitter, location);
    FailureOr<SmallVector<Tensor>> results = GraphImporter(model, entry, inputs, *emitter, sharder, location).run();
    if (failed(results) || failed(createReturn(*results)))
      return {};
    // Also where no request is met, or none is left.
    if (requests || !specs->empty())
      entry->setAttr(kWholeProgramAttr, UnitAttr::get(context));
    eraseDeadOps();
    if (failed(promiseDevices()))
      return {};
    if (!requests)
      specs->declareMeshes(*module);
    keepFacts();
    return std::move(module);
  }

private:
  void createEntry();
  SmallVector<Tensor> bindInputs();
  LogicalResult createReturn(MutableArrayRef<Tensor> computed);
  void eraseDeadOps();
  LogicalResult promiseDevices();
  void keepFacts();

  const Model &model;
  const llvm::StringSet<> &added;
  MLIRContext *context;
  Location location;
  const FormModel &forms;
  ShardRequests *requests; // or null
  OwningOpRef<ModuleOp> module;
  func::FuncOp entry;
  std::optional<Emitter> emitter;
};

} // namespace

// The model's nodes carry their devices as promises: which devices there are is said later.
LogicalResult ModelImporter::promiseDevices() {
  FailureOr<llvm::StringMap<std::string>> devices = collectDevices(model.nodes, location);
  if (failed(devices) || devices->empty())
    return devices;
  context->getOrLoadDialect<device::DeviceDialect>();
  entry.walk([&](Operation *op) {
    auto name = dyn_cast<NameLoc>(op->getLoc());
    auto device = name ? devices->find(name.getName().getValue()) : devices->end();
    bool isValue = llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
    if (device != devices->end() && isValue && !op->hasTrait<OpTrait::ConstantLike>())
      op->setAttr(kAffinityAttr,
                  device::PromiseAttr::get(context, FlatSymbolRefAttr::get(context, device->second), {}));
  });
  return success();
}

// What the file says of itself, for whoever asks the artifact. A key that stands twice has its last value, as in ONNX
// Runtime.
void ModelImporter::keepFacts() {
  const onnx::ModelProto &proto = *model.proto;
  NamedAttrList facts, metadata;
  auto keep = [&](StringRef name, const std::string &text) {
    if (!text.empty())
      facts.set(name, StringAttr::get(context, text));
  };
  keep("producer_name", proto.producer_name());
  keep("producer_version", proto.producer_version());
  keep("domain", proto.domain());
  keep("description", proto.doc_string());
  keep("graph_name", proto.graph().name());
  keep("graph_description", proto.graph().doc_string());
  keep("version", proto.model_version() ? std::to_string(proto.model_version()) : "");
  for (const auto &property : proto.metadata_props())
    metadata.set(property.key(), StringAttr::get(context, property.value()));
  if (!metadata.empty())
    facts.set(kMetadataKey, metadata.getDictionary(context));
  if (!facts.empty())
    (*module)->setAttr(kModelAttr, facts.getDictionary(context));
}

void ModelImporter::createEntry() {
  OpBuilder builder(context);
  builder.setInsertionPointToEnd(module->getBody());
  llvm::StringMap<const TensorData *> defaults;
  for (const auto &[name, data] : model.initializers)
    defaults[name] = &data;
  SmallVector<Type> types;
  for (const Port &port : model.inputs)
    types.push_back(RankedTensorType::get(port.shape, storageType(port.elementType)));
  entry = func::FuncOp::create(builder, location, "main", builder.getFunctionType(types, {}));
  entry.addEntryBlock();
  for (auto [i, port] : llvm::enumerate(model.inputs)) {
    entry.setArgAttr(i, kNameAttr, builder.getStringAttr(port.name));
    SmallVector<Attribute> names;
    for (size_t d = 0; d < port.shape.size(); ++d)
      names.push_back(builder.getStringAttr(ShapedType::isDynamic(port.shape[d]) ? dimName(port, d) : ""));
    entry.setArgAttr(i, kDimsAttr, builder.getArrayAttr(names));
    if (auto found = defaults.find(port.name); found != defaults.end())
      entry.setArgAttr(i, kDefaultAttr, found->second->literal());
    if (storageType(port.elementType) != port.elementType)
      entry.setArgAttr(i, kElementTypeAttr, TypeAttr::get(port.elementType));
  }
}

SmallVector<Tensor> ModelImporter::bindInputs() {
  SmallVector<Tensor> tensors;
  llvm::StringMap<Value> dimensions;
  OpBuilder &builder = emitter->builder;
  for (auto [i, port] : llvm::enumerate(model.inputs)) {
    SizeList sizes;
    for (size_t d = 0; d < port.shape.size(); ++d) {
      if (!ShapedType::isDynamic(port.shape[d])) {
        sizes.push_back(emitter->sizes.constant(port.shape[d]));
        continue;
      }
      Value &dimension = dimensions[dimName(port, d)];
      if (!dimension)
        dimension = flow::DimensionOp::create(builder, location, builder.getIndexType(), dimName(port, d));
      sizes.push_back(emitter->sizes.atom(dimension));
    }
    tensors.push_back(emitter->fromValue(entry.getArgument(i), sizes, port.elementType));
  }
  return tensors;
}

LogicalResult ModelImporter::createReturn(MutableArrayRef<Tensor> computed) {
  emitter->loc = location;
  OpBuilder &builder = emitter->builder;
  SmallVector<Value> results;
  SmallVector<std::pair<std::string, Type>> named;
  for (auto [port, tensor] : llvm::zip_equal(model.outputs, computed)) {
    if (added.contains(port.name) && (tensor.aggregate || !tensor.elementType))
      continue;
    if (tensor.aggregate)
      return emitError(location) << "output '" << port.name << "' is " << describeAggregate(tensor)
                                 << "; only tensors of numbers can be results";
    if (port.elementType && port.elementType != tensor.elementType)
      return emitError(location) << "output '" << port.name << "' is declared with elements of type "
                                 << port.elementType << " but is computed with " << tensor.elementType;
    // Exporters get declared shapes wrong in models that everybody runs; what is computed counts.
    if (port.ranked && static_cast<int64_t>(port.shape.size()) != tensor.rank())
      emitWarning(location) << "output '" << port.name << "' is declared with rank " << port.shape.size()
                            << " but is computed with rank " << tensor.rank() << ", which it gets";
    results.push_back(emitter->value(tensor));
    named.emplace_back(port.name, tensor.elementType);
  }
  func::ReturnOp::create(builder, location, results);
  entry.setFunctionType(builder.getFunctionType(entry.getArgumentTypes(), ValueRange(results).getTypes()));
  for (auto [i, result] : llvm::enumerate(named)) {
    auto &[name, element] = result;
    entry.setResultAttr(i, kNameAttr, builder.getStringAttr(name));
    if (storageType(element) != element)
      entry.setResultAttr(i, kElementTypeAttr, TypeAttr::get(element));
  }
  return success();
}

void ModelImporter::eraseDeadOps() {
  entry.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (!isOpTriviallyDead(op))
      return;
    if (isa<flow::ShardOp>(op))
      op->emitWarning() << "this sharding is not applied: no result depends on the value";
    op->erase();
  });
}

// What nodes give becomes outputs, in the order of nodes. Constants are what they are. Returns the names that were none
// before.
static llvm::StringSet<> addOutputs(Model &model) {
  llvm::StringMap<Port> own;
  for (const Port &port : model.outputs)
    own.try_emplace(port.name, port);
  llvm::StringSet<> added, placed;
  std::vector<Port> outputs;
  for (const Node &node : model.nodes)
    for (const std::string &name : node.outputs) {
      auto found = own.find(name);
      if (name.empty() || (found == own.end() && node.op == "Constant") || !placed.insert(name).second)
        continue;
      if (found == own.end()) {
        outputs.emplace_back().name = name;
        added.insert(name);
      } else {
        outputs.push_back(found->second);
      }
    }
  for (Port &port : model.outputs) // inputs and constants that are outputs, and what is one twice
    if (placed.count(port.name) == 0 || !placed.erase(port.name))
      outputs.push_back(std::move(port));
  model.outputs = std::move(outputs);
  return added;
}

OwningOpRef<ModuleOp> mlir::heddle::importer::importOnnx(StringRef path, MLIRContext *context,
                                                         const OnnxOptions &options) {
  context->loadDialect<arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect, math::MathDialect,
                       scf::SCFDialect, tensor::TensorDialect, device::DeviceDialect, flow::FlowDialect, HeddleDialect,
                       intent::IntentDialect>();
  FailureOr<Model> model = loadModel(path, context);
  if (failed(model) ||
      (options.sizes && failed(options.sizes->apply(*model, FileLineColLoc::get(context, path, 0, 0)))))
    return {};
  model->kept = options.kept;
  llvm::StringSet<> added = options.outputAll ? addOutputs(*model) : llvm::StringSet<>();
  return ModelImporter(*model, added, path, context, options.forms, options.requests).run();
}
