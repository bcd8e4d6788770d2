// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX Runtime's ops on quantised tensors (domain com.microsoft): an op of ai.onnx between DequantizeLinear and
// QuantizeLinear, which is what docs/design/quantisation.md makes integer arithmetic of.
#include "compiler/Stages/Import/Onnx/Lowering.h"
#include "compiler/Stages/Import/Onnx/Ops/Quantized/Quantization.h"
#include "onnx-ml.pb.h"

using namespace mlir;
using namespace mlir::heddle::importer;

//===--- Between dequantisation and quantisation -----------------------------------------------------------------===//

static onnx::AttributeProto makeAxis(int64_t axis) {
  onnx::AttributeProto attribute;
  attribute.set_name("axis");
  attribute.set_type(onnx::AttributeProto::INT);
  attribute.set_i(axis);
  return attribute;
}

// Steps with a scale and a zero point (null: 0), one each or one for each index along the axis.
static FailureOr<Tensor> dequantize(NodeContext &node, Tensor *steps, Tensor *scale, Tensor *zeroPoint,
                                    int64_t axis = 0) {
  if (!steps || !scale)
    return node.refuse("a quantised operand needs steps and a scale");
  onnx::AttributeProto attribute = makeAxis(axis);
  NodeContext::Attributes attributes;
  if (scale->staticCount() != 1)
    attributes["axis"] = &attribute;
  return node.lowerAs("DequantizeLinear", 21, {steps, scale, zeroPoint}, std::move(attributes));
}

// Operands that come as steps, scale and zero point.
static FailureOr<SmallVector<Tensor>> dequantizeAll(NodeContext &node, ArrayRef<size_t> at) {
  SmallVector<Tensor> operands;
  for (size_t i : at) {
    FailureOr<Tensor> operand = dequantize(node, node.input(i), node.input(i + 1), node.input(i + 2));
    if (failed(operand))
      return failure();
    operands.push_back(std::move(*operand));
  }
  return operands;
}

static SmallVector<Tensor *> pointersTo(MutableArrayRef<Tensor> tensors) {
  return llvm::map_to_vector(tensors, [](Tensor &tensor) { return &tensor; });
}

// Sets the output: steps of type `type`, by the scale at input `scale` and the zero point (absent: 0) behind it.
static LogicalResult quantize(NodeContext &node, FailureOr<Tensor> result, size_t scale, Type type) {
  if (failed(result))
    return failure();
  if (!node.input(scale))
    return node.refuse("needs a scale for its result");
  Tensor zero, *zeroPoint = node.input(scale + 1);
  if (!zeroPoint)
    zeroPoint = &(zero = makeScalar(node.emitter, type, 0));
  FailureOr<Tensor> steps = node.lowerAs("QuantizeLinear", 21, {&*result, node.input(scale), zeroPoint});
  if (failed(steps))
    return failure();
  node.setOutput(0, std::move(*steps));
  return success();
}

// `op` with the node's own attributes on operands at inputs `at`.
static LogicalResult lowerBetween(NodeContext &node, StringRef op, int64_t version, ArrayRef<size_t> at, size_t scale) {
  if (node.getInt("channels_last", 0) != 0)
    return node.unsupported("channels_last is not supported");
  FailureOr<SmallVector<Tensor>> operands = dequantizeAll(node, at);
  if (failed(operands))
    return failure();
  return quantize(node, node.lowerAs(op, version, pointersTo(*operands), node.attributes()), scale,
                  node.input(at.front())->elementType);
}

static LogicalResult lowerQLinearConcat(NodeContext &node) {
  SmallVector<size_t> at;
  for (size_t i = 2; i < node.numInputs(); i += 3)
    at.push_back(i);
  return at.empty() ? node.refuse("needs an operand") : lowerBetween(node, "Concat", 13, at, 0);
}

static LogicalResult lowerQLinearWhere(NodeContext &node) {
  FailureOr<SmallVector<Tensor>> operands = dequantizeAll(node, {1, 4});
  if (failed(operands))
    return failure();
  return quantize(node, node.lowerAs("Where", 16, {node.input(0), &(*operands)[0], &(*operands)[1]}), 7,
                  node.input(1)->elementType);
}

//===--- Products ------------------------------------------------------------------------------------------------===//

// C in 32 bits, whose steps are those of the product of A and B.
static FailureOr<Tensor> dequantizeSums(NodeContext &node, Tensor &sums) {
  Tensor *a = node.input(1), *b = node.input(4);
  if (!sums.elementType.isInteger(32) || a->staticCount() != 1 || a->elementType != b->elementType)
    return node.refuse("C must be integers of 32 bits, and A have one scale, of the type of B's");
  double alpha = node.getFloat("alpha", 1);
  Type to = a->elementType;
  std::optional<SizeList> shape = node.emitter.broadcastSizes({sums.sizes, b->sizes});
  if (!shape)
    return node.refuse("C does not fit B's scales");
  Tensor scale = node.emitter.reshape(*a, {});
  return node.emitter.elementwise({&sums, &scale, b}, *shape, to, [&](OpBuilder &builder, Location loc, ValueRange v) {
    Scalar s{builder, loc};
    Value unit = s.mul(s.mul(v[1], v[2]), s.constant(to, alpha));
    return s.mul(convert(s, v[0], sums.elementType, to), unit);
  });
}

// alpha A B + C; in steps where there is a scale for them.
static LogicalResult lowerQGemm(NodeContext &node) {
  bool turned = node.getInt("transB", 0) != 0;
  FailureOr<Tensor> a = dequantize(node, node.input(0), node.input(1), node.input(2)),
                    b = dequantize(node, node.input(3), node.input(4), node.input(5), turned ? 0 : 1);
  if (failed(a) || failed(b))
    return failure();
  SmallVector<Tensor *> operands{&*a, &*b};
  FailureOr<Tensor> c = Tensor();
  if (Tensor *sums = node.input(6)) {
    if (failed(c = dequantizeSums(node, *sums)))
      return failure();
    operands.push_back(&*c);
  }
  FailureOr<Tensor> result = node.lowerAs("Gemm", 13, operands, node.attributes());
  if (node.input(7))
    return quantize(node, std::move(result), 7, node.input(0)->elementType);
  if (failed(result))
    return failure();
  node.setOutput(0, std::move(*result));
  return success();
}

// The product of floats with B, whose steps are input 1, plus the bias or null.
static LogicalResult multiplyToFloat(NodeContext &node, FailureOr<Tensor> a, Tensor *scale, Tensor *zeroPoint,
                                     Tensor *bias) {
  if (failed(a) || failed(node.requireInputs(2)))
    return failure();
  FailureOr<Tensor> b = dequantize(node, node.input(1), scale, zeroPoint, -1);
  if (failed(b))
    return failure();
  FailureOr<Tensor> result = node.lowerAs("MatMul", 13, {&*a, &*b});
  if (succeeded(result) && bias)
    result = node.lowerAs("Add", 14, {&*result, bias});
  if (failed(result))
    return failure();
  node.setOutput(0, std::move(*result));
  return success();
}

static LogicalResult lowerMatMulIntegerToFloat(NodeContext &node) {
  FailureOr<Tensor> a = dequantize(node, node.input(0), node.input(2), node.input(4), -2);
  return multiplyToFloat(node, std::move(a), node.input(3), node.input(5), node.input(6));
}

static LogicalResult lowerDynamicQuantizeMatMul(NodeContext &node) {
  if (failed(node.requireInputs(3)))
    return failure();
  if (!node.input(0)->elementType.isF32())
    return node.refuse("needs a tensor of f32");
  DynamicSteps steps = quantizeByRange(node.emitter, *node.input(0));
  FailureOr<Tensor> a = dequantize(node, &steps.steps, &steps.scale, &steps.zeroPoint);
  return multiplyToFloat(node, std::move(a), node.input(2), node.input(3), node.input(4));
}

void mlir::heddle::importer::registerQuantizedOps(LoweringTable &table) {
  table.add("com.microsoft.QLinearAdd", 1, [](NodeContext &node) { return lowerBetween(node, "Add", 14, {0, 3}, 6); });
  table.add("com.microsoft.QLinearMul", 1, [](NodeContext &node) { return lowerBetween(node, "Mul", 14, {0, 3}, 6); });
  table.add("com.microsoft.QLinearSigmoid", 1,
            [](NodeContext &node) { return lowerBetween(node, "Sigmoid", 13, {0}, 3); });
  table.add("com.microsoft.QLinearLeakyRelu", 1,
            [](NodeContext &node) { return lowerBetween(node, "LeakyRelu", 16, {0}, 3); });
  table.add("com.microsoft.QLinearSoftmax", 1,
            [](NodeContext &node) { return lowerBetween(node, "Softmax", node.getInt("opset", 13), {0}, 3); });
  table.add("com.microsoft.QLinearAveragePool", 1,
            [](NodeContext &node) { return lowerBetween(node, "AveragePool", 19, {0}, 3); });
  table.add("com.microsoft.QLinearGlobalAveragePool", 1,
            [](NodeContext &node) { return lowerBetween(node, "GlobalAveragePool", 1, {0}, 3); });
  table.add("com.microsoft.QLinearConcat", 1, lowerQLinearConcat);
  table.add("com.microsoft.QLinearWhere", 1, lowerQLinearWhere);
  table.add("com.microsoft.QGemm", 1, lowerQGemm);
  table.add("com.microsoft.MatMulIntegerToFloat", 1, lowerMatMulIntegerToFloat);
  table.add("com.microsoft.DynamicQuantizeMatMul", 1, lowerDynamicQuantizeMatMul);
}
