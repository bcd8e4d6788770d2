// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operator sets 1 to 8: what is an input today was an attribute, `consumed_inputs` allowed to compute in place (it says
// nothing of values), and types had other names. Each becomes what a newer operator set means. Operands that broadcast
// are in OldBroadcasts.cpp.
#include "compiler/Stages/Import/Onnx/Ops/Movement/Movement.h"

#include "onnx-ml.pb.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <cmath>

using namespace mlir;
using namespace mlir::heddle::importer;

// The node as if its model imported operator set `version`.
template <int64_t version> static LogicalResult lowerAsIn(NodeContext &node) {
  bool known;
  return LoweringTable::get().find(node.op(), version, known)(node);
}

// Sets output 0 to what another form of the op gives.
static LogicalResult setFrom(NodeContext &node, int64_t version, ArrayRef<Tensor *> operands,
                             NodeContext::Attributes attributes = {}) {
  FailureOr<Tensor> result = node.lowerAs(node.op(), version, operands, std::move(attributes));
  if (succeeded(result))
    node.setOutput(0, std::move(*result));
  return result;
}

static onnx::AttributeProto makeInt(int64_t value) {
  onnx::AttributeProto attribute;
  attribute.set_type(onnx::AttributeProto::INT);
  attribute.set_i(value);
  return attribute;
}

// A list of int64.
static Tensor makeList(Emitter &emitter, ArrayRef<int64_t> values) {
  SizeList elements(llvm::map_range(values, [&](int64_t value) { return emitter.sizes.constant(value); }));
  OpFoldResult count = emitter.sizes.constant(static_cast<int64_t>(values.size()));
  return emitter.fromContents(emitter.builder.getI64Type(), {count}, std::move(elements));
}

// Cast 1: `to` is the name of a type.
static LogicalResult lowerCast1(NodeContext &node) {
  if (failed(node.requireInputs(1)))
    return failure();
  std::string to = StringRef(node.getString("to", "")).lower();
  for (int64_t code = 1; code <= onnx::TensorProto::DataType_MAX; ++code)
    if (getDataTypeName(code) == to) {
      onnx::AttributeProto attribute = makeInt(code);
      return setFrom(node, 6, {node.input(0)}, {{"to", &attribute}});
    }
  return node.refuse("there is no type '" + to + "'");
}

static LogicalResult lowerReshape1(NodeContext &node) {
  std::optional<SmallVector<int64_t>> sizes = node.getInts("shape");
  if (failed(node.requireInputs(1)) || !sizes)
    return node.refuse("needs the attribute 'shape'");
  Tensor shape = makeList(node.emitter, *sizes);
  return setFrom(node, 5, {node.input(0), &shape});
}

static LogicalResult lowerPad1(NodeContext &node) {
  NodeContext::Attributes attributes = node.attributes();
  attributes["pads"] = attributes.lookup("paddings");
  attributes.erase("paddings");
  return setFrom(node, 2, {node.input(0)}, std::move(attributes));
}

// The whole number that a float is.
static std::optional<int64_t> toInteger(double value) {
  if (!(std::abs(value) <= static_cast<double>(Sizes::kMostElements)) || value != std::floor(value))
    return std::nullopt;
  return static_cast<int64_t>(value);
}

// The second input, if there is one, has the sizes of the parts, in the operand's type.
static LogicalResult lowerSplit1(NodeContext &node) {
  Tensor *sizes = node.input(1);
  if (!sizes)
    return lowerAsIn<2>(node);
  Tensor &operand = *node.input(0);
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", 0), operand.rank());
  if (!axis)
    return failure();
  if (!sizes->data || sizes->rank() != 1 || sizes->data->size() != static_cast<int64_t>(node.numOutputs()))
    return node.unsupported("the sizes of the parts must be constants, one for each output");
  SizeList parts;
  for (int64_t i = 0; i < sizes->data->size(); ++i) {
    std::optional<int64_t> part = toInteger(sizes->data->real(i));
    if (!part)
      return node.refuse("the sizes of the parts must be whole numbers");
    parts.push_back(node.emitter.sizes.constant(*part));
  }
  if (failed(checkParts(node, parts, operand.sizes[*axis])))
    return failure();
  for (auto [i, part] : llvm::enumerate(splitAlong(node.emitter, operand, *axis, parts)))
    node.setOutput(i, std::move(part));
  return success();
}

// One axis, repeated `tiles` times; both are scalars of the operand's type.
static LogicalResult lowerTile1(NodeContext &node) {
  if (failed(node.requireInputs(3)))
    return failure();
  std::optional<double> tiles = node.constantScalar(1), along = node.constantScalar(2);
  if (!tiles || !along)
    return node.unsupported("tiles and axis must be constants");
  std::optional<int64_t> count = toInteger(*tiles), given = toInteger(*along);
  if (!count || !given)
    return node.refuse("tiles and axis must be whole numbers");
  std::optional<int64_t> axis = node.normalizeAxis(*given, node.input(0)->rank());
  if (!axis)
    return failure();
  SmallVector<int64_t> repeats(node.input(0)->rank(), 1);
  repeats[*axis] = *count;
  Tensor list = makeList(node.emitter, repeats);
  return setFrom(node, 6, {node.input(0), &list});
}

// p is a float.
static LogicalResult lowerLpPool1(NodeContext &node) {
  std::optional<int64_t> p = toInteger(node.getFloat("p", 2));
  if (!p)
    return node.unsupported("p must be a whole number");
  NodeContext::Attributes attributes = node.attributes();
  onnx::AttributeProto attribute = makeInt(*p);
  attributes["p"] = &attribute;
  return setFrom(node, 2, {node.input(0)}, std::move(attributes));
}

// alpha and gamma were rounded to four digits.
static LogicalResult lowerSelu1(NodeContext &node) {
  NodeContext::Attributes attributes = node.attributes();
  onnx::AttributeProto alpha, gamma;
  alpha.set_type(onnx::AttributeProto::FLOAT);
  gamma.set_type(onnx::AttributeProto::FLOAT);
  alpha.set_f(1.6732f);
  gamma.set_f(1.0507f);
  attributes.try_emplace("alpha", &alpha);
  attributes.try_emplace("gamma", &gamma);
  return setFrom(node, 6, {node.input(0)}, std::move(attributes));
}

// A scale for each axis, as an attribute.
static LogicalResult upsample(NodeContext &node, ArrayRef<double> values) {
  auto scales = std::make_shared<std::vector<float>>(values.begin(), values.end());
  ArrayRef<char> bytes(reinterpret_cast<const char *>(scales->data()), scales->size() * sizeof(float));
  Type f32 = node.emitter.builder.getF32Type();
  Tensor list =
      node.emitter.fromData({RankedTensorType::get({static_cast<int64_t>(scales->size())}, f32), bytes, scales});
  NodeContext::Attributes attributes;
  if (const onnx::AttributeProto *mode = node.attributes().lookup("mode"))
    attributes["mode"] = mode;
  return setFrom(node, 9, {node.input(0), &list}, std::move(attributes));
}

static LogicalResult lowerUpsample7(NodeContext &node) {
  std::optional<SmallVector<double>> scales = node.getFloats("scales");
  if (failed(node.requireInputs(1)) || !scales)
    return node.refuse("needs the attribute 'scales'");
  return upsample(node, *scales);
}

static LogicalResult lowerUpsample1(NodeContext &node) {
  if (failed(node.requireInputs(1)))
    return failure();
  if (node.input(0)->rank() != 4)
    return node.refuse("needs images [n, c, h, w], got a tensor of rank " + Twine(node.input(0)->rank()));
  return upsample(node, {1, 1, node.getFloat("height_scale", 1), node.getFloat("width_scale", 1)});
}

// Of recurrent ops, `output_sequence` says whether the first output is there, which its name does too.
void mlir::heddle::importer::registerOldForms(LoweringTable &table) {
  table.add("Abs", 1, lowerAsIn<6>);
  table.add("Cast", 1, lowerCast1);
  table.add("Ceil", 1, lowerAsIn<6>);
  table.add("Clip", 1, lowerAsIn<6>);
  table.add("Concat", 1, lowerAsIn<4>);
  table.add("Elu", 1, lowerAsIn<6>);
  table.add("Exp", 1, lowerAsIn<6>);
  table.add("Floor", 1, lowerAsIn<6>);
  table.add("GRU", 1, lowerAsIn<7>);
  table.add("GlobalLpPool", 1, lowerLpPool1);
  table.add("HardSigmoid", 1, lowerAsIn<6>);
  table.add("InstanceNormalization", 1, lowerAsIn<6>);
  table.add("LSTM", 1, lowerAsIn<7>);
  table.add("LeakyRelu", 1, lowerAsIn<6>);
  table.add("Log", 1, lowerAsIn<6>);
  table.add("LpPool", 1, lowerLpPool1);
  table.add("Max", 1, lowerAsIn<6>);
  table.add("Mean", 1, lowerAsIn<6>);
  table.add("Min", 1, lowerAsIn<6>);
  table.add("Neg", 1, lowerAsIn<6>);
  table.add("Pad", 1, lowerPad1);
  table.add("RNN", 1, lowerAsIn<7>);
  table.add("Reciprocal", 1, lowerAsIn<6>);
  table.add("Relu", 1, lowerAsIn<6>);
  table.add("Reshape", 1, lowerReshape1);
  table.add("Selu", 1, lowerSelu1);
  table.add("Sigmoid", 1, lowerAsIn<6>);
  table.add("Split", 1, lowerSplit1);
  table.add("Sqrt", 1, lowerAsIn<6>);
  table.add("Sum", 1, lowerAsIn<6>);
  table.add("Tanh", 1, lowerAsIn<6>);
  table.add("Tile", 1, lowerTile1);
  table.add("Upsample", 1, lowerUpsample1);
  table.add("Upsample", 7, lowerUpsample7);
}
