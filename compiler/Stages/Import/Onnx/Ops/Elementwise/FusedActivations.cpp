// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions and products that ONNX Runtime's optimiser fused with the activation behind them (domain com.microsoft).
#include "compiler/Stages/Import/Emit/Scalars.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"
#include "onnx-ml.pb.h"

using namespace mlir;
using namespace mlir::heddle::importer;

namespace {

// An activation and the attributes that its parameters are, in order.
struct Activation {
  StringRef op;
  int64_t version;
  SmallVector<StringRef> parameters;
};

} // namespace

static std::optional<Activation> findActivation(StringRef name) {
  for (Activation known : {Activation{"Relu", 14, {}}, Activation{"Tanh", 13, {}}, Activation{"Sigmoid", 13, {}},
                           Activation{"LeakyRelu", 16, {"alpha"}}, Activation{"HardSigmoid", 6, {"alpha", "beta"}}})
    if (known.op == name)
      return known;
  return std::nullopt;
}

static FailureOr<Tensor> clip(NodeContext &node, Tensor &x, ArrayRef<double> bounds) {
  if (bounds.size() != 2)
    return node.refuse("activation Clip needs two parameters, got " + Twine(bounds.size()));
  Tensor low = makeScalar(node.emitter, x.elementType, bounds[0]);
  Tensor high = makeScalar(node.emitter, x.elementType, bounds[1]);
  return node.lowerAs("Clip", 13, {&x, &low, &high});
}

// The activation that the node names, of `x`, with these parameters.
static FailureOr<Tensor> activate(NodeContext &node, Tensor &x, ArrayRef<double> parameters) {
  std::string name = node.getString("activation", "");
  if (name.empty())
    return x;
  if (name == "Clip")
    return clip(node, x, parameters);
  std::optional<Activation> activation = findActivation(name);
  if (!activation)
    return node.unsupported("activation '" + name + "' is not supported");
  if (parameters.size() > activation->parameters.size())
    return node.refuse("activation " + name + " has " + Twine(activation->parameters.size()) + " parameters, got " +
                       Twine(parameters.size()));
  SmallVector<onnx::AttributeProto> attributes(parameters.size());
  NodeContext::Attributes named;
  for (auto [attribute, key, value] : llvm::zip(attributes, activation->parameters, parameters)) {
    attribute.set_name(key.str());
    attribute.set_type(onnx::AttributeProto::FLOAT);
    attribute.set_f(static_cast<float>(value));
    named[key] = &attribute;
  }
  return node.lowerAs(activation->op, activation->version, {&x}, std::move(named));
}

// X, W, bias, and what is added before the activation.
static LogicalResult lowerFusedConv(NodeContext &node) {
  FailureOr<Tensor> result = node.lowerAs("Conv", 11, {node.input(0), node.input(1), node.input(2)}, node.attributes());
  if (succeeded(result) && node.input(3))
    result = node.lowerAs("Add", 14, {&*result, node.input(3)});
  if (succeeded(result))
    result = activate(node, *result, node.getFloats("activation_params").value_or(SmallVector<double>{}));
  if (failed(result))
    return failure();
  node.setOutput(0, std::move(*result));
  return success();
}

static LogicalResult lowerFusedGemm(NodeContext &node) {
  FailureOr<Tensor> result = node.lowerAs("Gemm", 13, {node.input(0), node.input(1), node.input(2)}, node.attributes());
  if (failed(result))
    return failure();
  SmallVector<double> parameters;
  for (StringRef name : {"activation_alpha", "activation_beta"})
    if (node.hasAttribute(name))
      parameters.push_back(node.getFloat(name, 0));
  result = activate(node, *result, parameters);
  if (failed(result))
    return failure();
  node.setOutput(0, std::move(*result));
  return success();
}

void mlir::heddle::importer::registerFusedActivations(LoweringTable &table) {
  table.add("com.microsoft.FusedConv", 1, lowerFusedConv);
  table.add("com.microsoft.FusedGemm", 1, lowerFusedGemm);
}
