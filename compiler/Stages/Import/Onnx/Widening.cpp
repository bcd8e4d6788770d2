// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on 16-bit floats: computed in f32, rounded once (`lowerWidened`, Lowering.h).
#include "compiler/Stages/Import/Onnx/Lowering.h"

#include "compiler/Stages/Import/Emit/SmallFloats.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::heddle::importer;

// Larger constants are converted where they are read.
static constexpr int64_t kMaximumLiteral = 64;

static bool isNarrow(Type type) { return isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 16; }

static constexpr StringLiteral kComputing =
    "Abs Acos Acosh Add AffineGrid ArgMax ArgMin Asin Asinh Atan Atanh Attention AveragePool BatchNormalization "
    "BiasGelu CausalConvWithState Ceil Celu Clip Col2Im Conv ConvTranspose Cos Cosh CumProd CumSum DFT "
    "DeformConv Det Div Einsum Elu EmbedLayerNormalization Equal Erf Erfc Exp FastGelu Floor FusedMatMul GRU Gelu "
    "Gemm GlobalAveragePool GlobalLpPool GlobalMaxPool Greater GreaterOrEqual GridSample GroupNormalization "
    "GroupQueryAttention HardSigmoid HardSwish Hardmax InstanceNormalization IsInf IsNaN LRN LSTM "
    "LayerNormalization LeakyRelu Less LessOrEqual LinearAttention Log LogSoftmax LpNormalization LpPool MatMul "
    "Max MaxPool Mean MeanVarianceNormalization Min Mish Mod Mul MultiHeadAttention Neg "
    "NegativeLogLikelihoodLoss PRelu Pow QAttention QuickGelu RMSNormalization RNN Range Reciprocal ReduceL1 ReduceL2 "
    "ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare Relu "
    "Resize RoiAlign RotaryEmbedding Round STFT Selu Shrink Sigmoid Sign SimplifiedLayerNormalization Sin Sinh "
    "SkipLayerNormalization SkipSimplifiedLayerNormalization Softmax SoftmaxCrossEntropyLoss Softplus Softsign "
    "Sqrt Sub Sum Swish Tan Tanh ThresholdedRelu";

// Ops that know elements only as bytes, or convert them: all that floats of 8 and 4 bits and integers of 4 and 2 bits
// may meet.
static constexpr StringLiteral kMoving =
    "BitCast Cast CastLike Compress Concat ConcatFromSequence Constant ConstantOfShape DepthToSpace DequantizeLinear "
    "Expand Flatten Gather GatherBlockQuantized GatherElements GatherND Identity If Loop Optional OptionalGetElement "
    "OptionalHasElement Pad QuantizeLinear Reshape ReverseSequence Scan SequenceAt SequenceConstruct SequenceErase "
    "SequenceInsert "
    "SequenceLength Shape Size Slice SpaceToDepth Split SplitToSequence Squeeze TensorScatter Tile Transpose Trilu "
    "Unsqueeze Where ";

static llvm::StringSet<> namesIn(StringRef list) {
  llvm::StringSet<> names;
  for (StringRef name : llvm::split(list, ' '))
    names.insert(name);
  return names;
}

static bool computes(StringRef op) {
  static const llvm::StringSet<> ops = namesIn(kComputing);
  return ops.contains(op);
}

static bool moves(StringRef op) {
  static const llvm::StringSet<> ops = namesIn(kMoving);
  return ops.contains(op);
}

// Whether an element is less than what its byte could be.
static bool isCode(Type type) {
  return isSmallFloat(type) || (isa<IntegerType>(type) && type.getIntOrFloatBitWidth() < 8 && !type.isInteger(1));
}

static LogicalResult refuseCodes(NodeContext &node) {
  for (size_t i = 0; i < node.numInputs(); ++i) {
    Tensor *operand = node.input(i);
    if (!operand || !isCode(operand->elementType))
      continue;
    std::string text;
    llvm::raw_string_ostream(text) << "elements of type " << operand->elementType
                                   << " can be moved and converted, not computed with: cast them first";
    return node.refuse(text);
  }
  return success();
}

static Tensor convertTensor(Emitter &emitter, Tensor &tensor, Type to) {
  Type from = tensor.elementType;
  if (tensor.data && tensor.data->size() <= kMaximumLiteral && to.isF32()) {
    std::vector<float> values;
    for (int64_t i = 0; i < tensor.data->size(); ++i)
      values.push_back(static_cast<float>(tensor.data->real(i)));
    auto owner = std::make_shared<std::vector<float>>(std::move(values));
    ArrayRef<char> bytes(reinterpret_cast<const char *>(owner->data()), owner->size() * sizeof(float));
    Tensor wide = emitter.fromData({tensor.data->type.clone(to), bytes, owner});
    wide.name = tensor.name;
    return wide;
  }
  return emitter.elementwise({&tensor}, tensor.sizes, to, [&](OpBuilder &b, Location loc, ValueRange v) {
    return convert({b, loc}, v[0], from, to);
  });
}

LogicalResult mlir::heddle::importer::lowerWidened(NodeContext &node, LoweringFunction lowering) {
  if (!moves(node.op()) && failed(refuseCodes(node)))
    return failure();
  Type first; // of the operands that are floats: the results' type
  SmallVector<Type> given(node.numInputs());
  SmallVector<Tensor> wide;
  wide.reserve(node.numInputs()); // operands point into it
  for (size_t i = 0; i < node.numInputs(); ++i) {
    Tensor *operand = node.input(i);
    given[i] = operand ? operand->elementType : Type();
    if (operand && operand->isFloat() && !first)
      first = operand->elementType;
    if (!operand || !isNarrow(operand->elementType) || !computes(node.op()))
      continue;
    Type f32 = node.emitter.builder.getF32Type();
    if (operand->quantized && operand->quantized->source.data) { // stays narrow: converted where it is read
      Quantization from = *operand->quantized;
      from.type = f32;
      wide.push_back(node.emitter.fromQuantization(std::move(from)));
    } else {
      wide.push_back(convertTensor(node.emitter, *operand, f32));
    }
    node.replaceInput(i, &wide.back());
  }
  if (failed(lowering(node)))
    return failure();
  if (wide.empty() || !isNarrow(first))
    return success();
  // Statistics of a normalisation have the type they are computed in, a state that of the state before.
  bool keepsState = node.op() == "LinearAttention" && given.size() > 3 && given[3] && given[3].isF32();
  size_t count = node.op() == "LayerNormalization" || keepsState ? 1 : node.numOutputs();
  for (size_t i = 0; i < count; ++i)
    if (std::optional<Tensor> &result = node.result(i); result && result->elementType.isF32())
      result = convertTensor(node.emitter, *result, first);
  return success();
}
