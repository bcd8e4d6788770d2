#include "compiler/Stages/Import/Onnx/Importer.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;

namespace {

class GraphImporter {
public:
  GraphImporter(const Model &model, StringRef path, MLIRContext *context)
      : model(model), path(path), context(context), location(FileLineColLoc::get(context, path, 0, 0)) {}

  OwningOpRef<ModuleOp> run() {
    module = ModuleOp::create(location);
    if (failed(refuseUnknownOps()))
      return {};
    createEntry();
    emitter.emplace(*module, &entry.getBody().front());
    bindInputs();
    bindInitializers();
    for (const Node &node : model.nodes)
      lower(node);
    if (refused) {
      emitError(location) << "the model cannot be imported: " << refused << (refused == 1 ? " node is" : " nodes are")
                          << " not supported";
      return {};
    }
    if (failed(createReturn()))
      return {};
    eraseDeadOps();
    return std::move(module);
  }

private:
  LogicalResult refuseUnknownOps();
  void report(const Node &node, const Twine &reason);
  void createEntry();
  void bindInputs();
  void bindInitializers();
  void lower(const Node &node);
  LogicalResult createReturn();
  void eraseDeadOps();
  std::string dimName(const Port &port, size_t dim) const {
    return port.dimNames[dim].empty() ? port.name + "_d" + std::to_string(dim) : port.dimNames[dim];
  }

  const Model &model;
  StringRef path;
  MLIRContext *context;
  Location location;
  OwningOpRef<ModuleOp> module;
  func::FuncOp entry;
  std::optional<Emitter> emitter;
  llvm::StringMap<Tensor> values; // null-typed: refused, or the result of a refused node
  unsigned refused = 0;
};

} // namespace

void GraphImporter::report(const Node &node, const Twine &reason) {
  ++refused;
  emitError(NameLoc::get(StringAttr::get(context, node.name), location))
      << "node #" << node.index << " '" << node.name << "' (" << spellDomain(node.domain) << " " << node.op
      << ", operator set " << node.version << "): " << reason;
}

LogicalResult GraphImporter::refuseUnknownOps() {
  for (const Node &node : model.nodes) {
    bool known = false;
    if (!node.domain.empty())
      report(node, "no op of this domain is supported");
    else if (!LoweringTable::get().find(node.op, node.version, known))
      report(node, known ? "not supported in this operator set; convert the model to a newer one"
                         : "this op is not supported");
  }
  if (!refused)
    return success();
  return emitError(location) << "the model cannot be imported: " << refused
                             << (refused == 1 ? " node is" : " nodes are") << " not supported";
}

void GraphImporter::createEntry() {
  OpBuilder builder(context);
  builder.setInsertionPointToEnd(module->getBody());
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
    if (port.elementType.isUnsignedInteger())
      entry.setArgAttr(i, kUnsignedAttr, builder.getUnitAttr());
  }
}

void GraphImporter::bindInputs() {
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
    values[port.name] = emitter->fromValue(entry.getArgument(i), sizes, port.elementType);
  }
}

void GraphImporter::bindInitializers() {
  for (auto &[name, data] : model.initializers) {
    Tensor tensor = emitter->fromData(data);
    tensor.name = name;
    values[name] = std::move(tensor);
  }
}

void GraphImporter::lower(const Node &node) {
  SmallVector<Tensor *> operands;
  bool blocked = false;
  for (const std::string &name : node.inputs) {
    operands.push_back(name.empty() ? nullptr : &values[name]);
    blocked |= operands.back() && !operands.back()->elementType;
  }
  for (const std::string &name : node.outputs)
    values.try_emplace(name);
  if (blocked)
    return;
  NodeContext state(model, node, *emitter, operands);
  emitter->loc = NameLoc::get(StringAttr::get(context, node.name));
  bool known;
  LogicalResult lowered = LoweringTable::get().find(node.op, node.version, known)(state);
  if (failed(lowered) || !state.reason().empty())
    return report(node, state.reason().empty() ? "not supported in this form" : state.reason());
  for (auto [i, name] : llvm::enumerate(node.outputs)) {
    if (name.empty())
      continue;
    if (!state.result(i))
      return report(node, "output #" + Twine(i) + " is not supported");
    values[name] = std::move(*state.result(i));
  }
}

LogicalResult GraphImporter::createReturn() {
  emitter->loc = location;
  OpBuilder &builder = emitter->builder;
  SmallVector<Value> results;
  for (const Port &port : model.outputs) {
    Tensor &tensor = values[port.name];
    if (port.elementType && port.elementType != tensor.elementType)
      return emitError(location) << "output '" << port.name << "' is declared with elements of type "
                                 << port.elementType << " but is computed with " << tensor.elementType;
    if (port.ranked && static_cast<int64_t>(port.shape.size()) != tensor.rank())
      return emitError(location) << "output '" << port.name << "' is declared with rank " << port.shape.size()
                                 << " but is computed with rank " << tensor.rank();
    results.push_back(emitter->value(tensor));
  }
  func::ReturnOp::create(builder, location, results);
  entry.setFunctionType(builder.getFunctionType(entry.getArgumentTypes(), ValueRange(results).getTypes()));
  for (auto [i, port] : llvm::enumerate(model.outputs)) {
    entry.setResultAttr(i, kNameAttr, builder.getStringAttr(port.name));
    if (values[port.name].isUnsigned())
      entry.setResultAttr(i, kUnsignedAttr, builder.getUnitAttr());
  }
  return success();
}

void GraphImporter::eraseDeadOps() {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(entry.getBody().front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

OwningOpRef<ModuleOp> mlir::heddle::importer::importOnnx(StringRef path, MLIRContext *context) {
  context->loadDialect<arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect, math::MathDialect,
                       tensor::TensorDialect, flow::FlowDialect, HeddleDialect>();
  FailureOr<Model> model = loadModel(path, context);
  if (failed(model))
    return {};
  return GraphImporter(*model, path, context).run();
}
