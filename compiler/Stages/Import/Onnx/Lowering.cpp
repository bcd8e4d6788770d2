// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Onnx/Lowering.h"
#include "compiler/Stages/Import/Onnx/Aggregate.h"
#include "compiler/Stages/Import/Onnx/Model/Schema.h"

#include "onnx-ml.pb.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::importer;
using onnx::AttributeProto;

//===--- Attributes ----------------------------------------------------------------------------------------------===//

// The attribute if it is there and of that type.
static const AttributeProto *find(NodeContext &context, const Node &node, StringRef name,
                                  AttributeProto::AttributeType type) {
  auto found = node.attributes.find(name);
  if (found == node.attributes.end())
    return nullptr;
  if (found->second->type() == type)
    return found->second;
  (void)context.refuse("attribute '" + name + "' must be of type " +
                       StringRef(AttributeProto::AttributeType_Name(type)).lower() + ", got " +
                       StringRef(AttributeProto::AttributeType_Name(found->second->type())).lower());
  return nullptr;
}

int64_t NodeContext::getInt(StringRef name, int64_t otherwise) {
  const AttributeProto *attribute = find(*this, node, name, AttributeProto::INT);
  return attribute ? attribute->i() : otherwise;
}

double NodeContext::getFloat(StringRef name, double otherwise) {
  const AttributeProto *attribute = find(*this, node, name, AttributeProto::FLOAT);
  return attribute ? attribute->f() : otherwise;
}

std::string NodeContext::getString(StringRef name, StringRef otherwise) {
  const AttributeProto *attribute = find(*this, node, name, AttributeProto::STRING);
  return attribute ? attribute->s() : otherwise.str();
}

std::optional<SmallVector<int64_t>> NodeContext::getInts(StringRef name) {
  const AttributeProto *attribute = find(*this, node, name, AttributeProto::INTS);
  if (!attribute)
    return std::nullopt;
  return SmallVector<int64_t>(attribute->ints().begin(), attribute->ints().end());
}

std::optional<SmallVector<double>> NodeContext::getFloats(StringRef name) {
  const AttributeProto *attribute = find(*this, node, name, AttributeProto::FLOATS);
  if (!attribute)
    return std::nullopt;
  return SmallVector<double>(attribute->floats().begin(), attribute->floats().end());
}

std::optional<SmallVector<std::string>> NodeContext::getStrings(StringRef name) {
  const AttributeProto *attribute = find(*this, node, name, AttributeProto::STRINGS);
  if (!attribute)
    return std::nullopt;
  return SmallVector<std::string>(attribute->strings().begin(), attribute->strings().end());
}

std::optional<Tensor> NodeContext::getTensor(StringRef name) {
  auto given = node.attributes.find(name);
  bool isSparse = given != node.attributes.end() && given->second->type() == AttributeProto::SPARSE_TENSOR;
  const AttributeProto *attribute =
      find(*this, node, name, isSparse ? AttributeProto::SPARSE_TENSOR : AttributeProto::TENSOR);
  if (!attribute)
    return std::nullopt;
  if (!isSparse && isForeignType(attribute->t().data_type()))
    return makeForeign(emitter, getDataTypeName(attribute->t().data_type()));
  MLIRContext *context = emitter.builder.getContext();
  TensorOrReason read = isSparse ? readSparseTensor(context, attribute->sparse_tensor(), model.source)
                                 : readTensor(context, attribute->t(), model.source);
  if (!read.tensor) {
    (void)refuse("attribute '" + name + "': " + read.reason);
    return std::nullopt;
  }
  Tensor tensor = emitter.fromData(std::move(*read.tensor));
  tensor.name = node.outputs.empty() ? node.name : node.outputs.front();
  return tensor;
}

//===--- Operands ------------------------------------------------------------------------------------------------===//

mlir::heddle::KeptMemory::Kind mlir::heddle::importer::findKept(const NodeContext &context, size_t input,
                                                                size_t output) {
  const Node &node = context.node;
  const Model &model = context.model;
  if (!model.kept || input >= node.inputs.size() || !context.wantsOutput(output))
    return KeptMemory::Kind::None;
  bool isInput = llvm::any_of(model.inputs, [&](const Port &port) { return port.name == node.inputs[input]; });
  return isInput ? model.kept->find(node.inputs[input], node.outputs[output]) : KeptMemory::Kind::None;
}

std::optional<SizeList> NodeContext::contents(size_t i) const {
  Tensor *tensor = input(i);
  return tensor ? tensor->contents : std::nullopt;
}

std::optional<SizeList> NodeContext::readContents(size_t i) {
  Tensor *tensor = input(i);
  return tensor && emitter.readContents(*tensor) ? tensor->contents : std::nullopt;
}

std::optional<SizeList> NodeContext::readList(size_t i, int64_t count) {
  Tensor *tensor = input(i);
  if (!tensor || tensor->rank() != 1 || tensor->staticSize(0))
    return readContents(i);
  OpFoldResult length = emitter.sizes.constant(count);
  emitter.checkEqual(tensor->sizes[0], length, op() + ": input #" + Twine(i) + " must have length " + Twine(count));
  Tensor list = emitter.reshape(*tensor, {length});
  return emitter.readContents(list) ? list.contents : std::nullopt;
}

std::optional<int64_t> NodeContext::declaredRank(size_t i) const {
  if (!wantsOutput(i))
    return std::nullopt;
  auto rankOf = [&](const auto &infos) -> std::optional<int64_t> {
    for (const onnx::ValueInfoProto &info : infos)
      if (info.name() == node.outputs[i] && info.type().has_tensor_type() && info.type().tensor_type().has_shape())
        return info.type().tensor_type().shape().dim_size();
    return std::nullopt;
  };
  const onnx::GraphProto &graph = model.proto->graph();
  std::optional<int64_t> result = rankOf(graph.output());
  return result ? result : rankOf(graph.value_info());
}

std::optional<SmallVector<int64_t>> NodeContext::constantInts(size_t i) const {
  std::optional<SizeList> list = contents(i);
  if (!list)
    return std::nullopt;
  SmallVector<int64_t> values;
  for (OpFoldResult element : *list) {
    std::optional<int64_t> constant = getConstantIntValue(element);
    if (!constant)
      return std::nullopt;
    values.push_back(*constant);
  }
  return values;
}

std::optional<double> NodeContext::constantScalar(size_t i) const {
  Tensor *tensor = input(i);
  if (tensor && tensor->data && tensor->data->size() == 1)
    return tensor->data->real(0);
  if (std::optional<SmallVector<int64_t>> ints = constantInts(i); ints && ints->size() == 1)
    return static_cast<double>(ints->front());
  return std::nullopt;
}

LogicalResult NodeContext::requireInputs(size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (!input(i))
      return refuse("needs " + Twine(count) + " inputs, got " + Twine(i));
  return success();
}

FailureOr<Tensor> NodeContext::lowerAs(StringRef op, int64_t version, ArrayRef<Tensor *> operands,
                                       Attributes attributes) {
  Node other;
  other.op = op;
  other.version = version;
  other.name = node.name;
  other.index = node.index;
  other.device = node.device;
  other.outputs = {node.outputs.front()};
  other.attributes = std::move(attributes);
  bool known = false;
  LoweringFunction function = LoweringTable::get().find(op, version, known);
  if (!function)
    return unsupported(op + " of operator set " + Twine(version) + " is not supported");
  NodeContext context(model, other, emitter, SmallVector<Tensor *>(operands));
  if (failed(lowerWidened(context, function)) || !context.reason().empty())
    return context.isInvalid() ? refuse(context.reason()) : unsupported(context.reason());
  return std::move(*context.result(0));
}

std::optional<int64_t> NodeContext::normalizeAxis(int64_t axis, int64_t rank) {
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  (void)refuse("axis " + Twine(axis) + " is outside a tensor of rank " + Twine(rank));
  return std::nullopt;
}

std::optional<SmallVector<int64_t>> NodeContext::normalizeAxes(ArrayRef<int64_t> axes, int64_t rank) {
  SmallVector<int64_t> result;
  for (int64_t axis : axes) {
    std::optional<int64_t> normal = normalizeAxis(axis, rank);
    if (!normal)
      return std::nullopt;
    if (llvm::is_contained(result, *normal)) {
      (void)refuse("axis " + Twine(axis) + " is named twice");
      return std::nullopt;
    }
    result.push_back(*normal);
  }
  return result;
}

LogicalResult NodeContext::refuse(const Twine &reason) {
  if (why.empty()) {
    why = reason.str();
    invalid = true;
  }
  return failure();
}

LogicalResult NodeContext::unsupported(const Twine &reason) {
  if (why.empty())
    why = reason.str();
  return failure();
}

LogicalResult NodeContext::refuseFree(const Twine &reason) {
  auto isFixed = [](OpFoldResult size) { return getConstantIntValue(size).has_value(); };
  auto isFree = [&](Tensor *operand) {
    if (!operand)
      return false;
    bool known =
        !operand->isInteger() || operand->data || (operand->contents && llvm::all_of(*operand->contents, isFixed));
    return !known || !llvm::all_of(operand->sizes, isFixed);
  };
  return llvm::any_of(operands, isFree) ? unsupported(reason) : refuse(reason);
}

//===--- Elementwise ---------------------------------------------------------------------------------------------===//

LogicalResult mlir::heddle::importer::lowerElementwise(NodeContext &node, ArrayRef<Tensor *> operands, Type elementType,
                                                       ScalarBody body) {
  SmallVector<SizeList> shapes = llvm::map_to_vector(operands, [](Tensor *operand) { return operand->sizes; });
  std::optional<SizeList> sizes = node.emitter.broadcastSizes(shapes);
  if (!sizes) {
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::interleave(operands, os, [&](Tensor *operand) { os << spellTensor(*operand); }, " and ");
    return node.refuse("the operands do not broadcast: " + text);
  }
  node.setOutput(0, node.emitter.elementwise(operands, *sizes, elementType, body));
  return success();
}

LogicalResult mlir::heddle::importer::requireSameType(NodeContext &node, size_t count) {
  if (failed(node.requireInputs(count)))
    return failure();
  for (size_t i = 1; i < count; ++i)
    if (node.input(i)->elementType != node.input(0)->elementType)
      return node.refuse((count == 2 ? "both" : "the") + Twine(" operands must have the same element type, got ") +
                         spellTensor(*node.input(0)) + " and " + spellTensor(*node.input(i)));
  return success();
}

LogicalResult mlir::heddle::importer::requireFloat(NodeContext &node, size_t input) {
  if (failed(node.requireInputs(input + 1)))
    return failure();
  return node.input(input)->isFloat() ? success() : node.refuse("needs a tensor of floats");
}
