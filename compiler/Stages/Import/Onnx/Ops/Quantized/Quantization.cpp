// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear.
#include "compiler/Stages/Import/Onnx/Ops/Quantized/Quantization.h"

#include "compiler/Stages/Import/Emit/SmallFloats.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"
#include "compiler/Stages/Import/Onnx/Model/ReadTensor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <cmath>

using namespace mlir;
using namespace mlir::heddle::importer;

//===--- Elements ------------------------------------------------------------------------------------------------===//

// `x` within [low, high]; NaN gives `low`.
static Value clamp(Scalar s, Value x, double low, double high) {
  Value least = s.constant(x.getType(), low), most = s.constant(x.getType(), high);
  x = s.select(s.greater(x, least), x, least);
  return s.select(s.less(x, most), x, most);
}

Value mlir::heddle::importer::roundToStep(Scalar s, Value real, Value zeroPoint, Type to) {
  unsigned width = to.getIntOrFloatBitWidth();
  bool isUnsigned = to.isUnsignedInteger();
  double low = isUnsigned ? 0 : -std::ldexp(1.0, static_cast<int>(width) - 1);
  double high = std::ldexp(1.0, static_cast<int>(width) - (isUnsigned ? 0 : 1)) - 1;
  Value step = math::RoundEvenOp::create(s.b, s.loc, real);
  // Exact where it is not clamped: a sum of integers of less than 24 bits.
  if (zeroPoint)
    step = s.add(step, convert(s, zeroPoint, s.b.getI32Type(), s.b.getF32Type()));
  Value inside = clamp(s, step, low, high);
  Value wide = arith::FPToSIOp::create(s.b, s.loc, s.b.getI32Type(), inside);
  return convert(s, wide, s.b.getI32Type(), storageType(to)); // it fits
}

//===--- Parameters ----------------------------------------------------------------------------------------------===//

namespace {

// Scale and zero point of a node, broadcast against the operand.
struct Parameters {
  Tensor scale;
  std::optional<Tensor> zeroPoint;
  std::optional<int64_t> axis; // that they have elements for; none: scalars
  int64_t block = 0;           // indices of the axis for each element; 0: one

  // Repeated to the operand's shape where they have blocks.
  void repeatTo(Emitter &emitter, ArrayRef<OpFoldResult> sizes) {
    if (block == 0)
      return;
    scale = emitter.repeat(scale, sizes, *axis, block);
    if (zeroPoint && zeroPoint->rank() > 0)
      zeroPoint = emitter.repeat(*zeroPoint, sizes, *axis, block);
    axis.reset();
    block = 0;
  }
};

} // namespace

static FailureOr<Parameters> readParameters(NodeContext &node) {
  Emitter &emitter = node.emitter;
  Tensor &x = *node.input(0), &scale = *node.input(1), *zeroPoint = node.input(2);
  if (!scale.isFloat() || scale.elementType.getIntOrFloatBitWidth() > 32)
    return node.unsupported("needs a scale of at most 32 bits");
  bool oneZero = zeroPoint && zeroPoint->staticCount() == 1;
  bool sameSizes =
      !zeroPoint || oneZero ||
      (zeroPoint->rank() == scale.rank() && llvm::all_of(llvm::zip(zeroPoint->sizes, scale.sizes), [&](auto it) {
         return !emitter.sizes.different(std::get<0>(it), std::get<1>(it));
       }));
  if (!sameSizes)
    return node.refuse("the zero point must be one, or have the scale's shape");
  Parameters parameters{scale, std::nullopt, std::nullopt};
  if (zeroPoint)
    parameters.zeroPoint = oneZero ? emitter.reshape(*zeroPoint, {}) : *zeroPoint;
  int64_t block = node.getInt("block_size", 0);
  if (block == 0 && scale.staticCount() == 1) {
    parameters.scale = emitter.reshape(scale, {});
    return parameters;
  }
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", 1), x.rank());
  if (!axis)
    return failure();
  if (block == 0) {
    if (scale.rank() != 1 || emitter.sizes.different(scale.sizes[0], x.sizes[*axis]))
      return node.refuse("the scale must be a scalar, or have an element for each index along 'axis'");
    emitter.checkEqual(scale.sizes[0], x.sizes[*axis], node.op() + ": the scale must fit the axis");
    parameters.axis = axis;
    return parameters;
  }
  OpFoldResult blocks = emitter.sizes.ceilDiv(x.sizes[*axis], emitter.sizes.constant(std::max<int64_t>(block, 1)));
  if (block < 0 || scale.rank() != x.rank())
    return node.refuse("the scale must have an element for each block of 'block_size' along 'axis'");
  for (int64_t d = 0; d < x.rank(); ++d)
    emitter.checkEqual(scale.sizes[d], d == *axis ? blocks : x.sizes[d],
                       node.op() + ": the scale must have an element for each block of 'block_size' along 'axis'");
  parameters.axis = axis;
  parameters.block = block;
  return parameters;
}

// [c] as [c, 1, …] of so many dimensions that it broadcasts along the axis.
static Tensor alongAxis(Emitter &emitter, Tensor &tensor, int64_t rank, std::optional<int64_t> axis) {
  if (!axis || tensor.rank() == 0)
    return tensor;
  SizeList shape(rank - *axis, emitter.sizes.constant(1));
  shape.front() = tensor.sizes[0];
  return emitter.reshape(tensor, shape);
}

//===--- Ops -----------------------------------------------------------------------------------------------------===//

static bool isZero(NodeContext &node, size_t input) {
  Tensor &tensor = *node.input(input);
  if (tensor.data)
    return llvm::all_of(llvm::seq(tensor.data->size()), [&](int64_t i) { return tensor.data->real(i) == 0; });
  std::optional<SmallVector<int64_t>> elements = node.constantInts(input);
  return elements && llvm::all_of(*elements, [](int64_t e) { return e == 0; });
}

static std::string spellType(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

// The type of an attribute that names one of floats of 16 or 32 bits; null if it is not there.
static FailureOr<Type> floatType(NodeContext &node, StringRef attribute) {
  int64_t code = node.getInt(attribute, 0);
  if (code == 0)
    return Type();
  Type type = getElementType(node.emitter.builder.getContext(), code);
  if (!isa_and_present<Float16Type, BFloat16Type, Float32Type>(type))
    return node.refuse(attribute + " must be float, float16 or bfloat16, got " + getDataTypeName(code));
  return type;
}

static LogicalResult lowerDequantizeLinear(NodeContext &node) {
  if (failed(node.requireInputs(2)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor &x = *node.input(0), *zeroPoint = node.input(2);
  bool isSteps = x.isInteger() && !x.elementType.isInteger(1) && x.elementType.getIntOrFloatBitWidth() <= 32;
  if (!isSteps && !isSmallFloat(x.elementType))
    return node.refuse("needs integers of 2, 4, 8, 16 or 32 bits, or floats of 4 or 8");
  if (zeroPoint && zeroPoint->elementType != x.elementType)
    return node.refuse("the zero point must have the operand's type");
  FailureOr<Parameters> parameters = readParameters(node);
  FailureOr<Type> type = floatType(node, "output_dtype");
  if (failed(parameters) || failed(type))
    return failure();
  if (zeroPoint && isZero(node, 2))
    parameters->zeroPoint.reset();
  if (!*type && isSmallFloat(parameters->scale.elementType))
    return node.refuse("a scale of " + spellType(parameters->scale.elementType) + " needs output_dtype");
  Quantization quantization{x, parameters->scale, parameters->zeroPoint, parameters->axis, *type, parameters->block};
  node.setOutput(0, emitter.fromQuantization(std::move(quantization)));
  return success();
}

// The steps a dequantised tensor came from, if they are the ones asked for.
static bool isSame(Tensor *a, Tensor *b) {
  if (!a || !b)
    return a == b;
  if (a->value && a->value == b->value)
    return true;
  return a->data && b->data && a->data->type == b->data->type && a->data->bytes == b->data->bytes;
}

static std::optional<Tensor> findSteps(const Tensor &x, Parameters &parameters, Type to) {
  if (!x.quantized || x.quantized->source.elementType != to || x.quantized->axis != parameters.axis ||
      x.quantized->block != parameters.block)
    return std::nullopt;
  Quantization &from = *x.quantized;
  Tensor *a = from.zeroPoint ? &*from.zeroPoint : nullptr, *b = parameters.zeroPoint ? &*parameters.zeroPoint : nullptr;
  return isSame(&from.scale, &parameters.scale) && isSame(a, b) ? std::optional(from.source) : std::nullopt;
}

static FailureOr<Type> quantizedType(NodeContext &node) {
  if (Tensor *zeroPoint = node.input(2))
    return zeroPoint->elementType;
  MLIRContext *context = node.emitter.builder.getContext();
  int64_t code = node.getInt("output_dtype", 0);
  Type type = code ? getElementType(context, code) : IntegerType::get(context, 8, IntegerType::Unsigned);
  if (!type)
    return node.unsupported("quantisation to " + getDataTypeName(code) + " is not supported");
  return type;
}

static LogicalResult lowerQuantizeLinear(NodeContext &node) {
  if (failed(node.requireInputs(2)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor &x = *node.input(0);
  FailureOr<Type> to = quantizedType(node);
  if (failed(to))
    return failure();
  bool isSteps = isa<IntegerType>(*to) && !to->isInteger(1) && to->getIntOrFloatBitWidth() <= 16;
  if (!isSteps && (!isSmallFloat(*to) || isa<Float8E8M0FNUType>(*to)))
    return node.refuse("quantises to integers of 2, 4, 8 or 16 bits or floats of 4 or 8, got " + spellType(*to));
  FailureOr<Type> precision = floatType(node, "precision");
  if (failed(precision))
    return failure();
  if (x.elementType.getIntOrFloatBitWidth() > 32)
    return node.unsupported("needs an operand of at most 32 bits");
  FailureOr<Parameters> parameters = readParameters(node);
  if (failed(parameters))
    return failure();
  if (node.input(2) && isZero(node, 2))
    parameters->zeroPoint.reset();
  if (std::optional<Tensor> steps = findSteps(x, *parameters, *to)) {
    node.setOutput(0, *steps);
    return success();
  }
  parameters->repeatTo(emitter, x.sizes);
  Tensor scale = alongAxis(emitter, parameters->scale, x.rank(), parameters->axis), zeroPoint;
  SmallVector<Tensor *> operands{&x, &scale};
  if (parameters->zeroPoint) {
    zeroPoint = alongAxis(emitter, *parameters->zeroPoint, x.rank(), parameters->axis);
    operands.push_back(&zeroPoint);
  }
  Type from = x.elementType, scaleType = scale.elementType;
  CastRules rules;
  rules.saturate = node.getInt("saturate", 1) != 0;
  node.setOutput(0, emitter.elementwise(operands, x.sizes, *to, [&](OpBuilder &b, Location loc, ValueRange v) {
    Scalar s{b, loc};
    Type f32 = b.getF32Type();
    Value real = s.div(convert(s, v[0], from, f32), convert(s, v[1], scaleType, f32));
    if (*precision) // rounded to f32 first, which makes no difference to a quotient of narrower floats
      real = convert(s, convert(s, real, f32, *precision), *precision, f32);
    if (isSteps)
      return roundToStep(s, real, v.size() > 2 ? convert(s, v[2], *to, b.getI32Type()) : Value(), *to);
    if (v.size() > 2)
      real = s.add(real, convert(s, v[2], *to, f32));
    return convert(s, real, f32, *to, rules);
  }));
  return success();
}

DynamicSteps mlir::heddle::importer::quantizeByRange(Emitter &emitter, Tensor &x) {
  Type f32 = x.elementType, i32 = emitter.builder.getI32Type(), u8 = emitter.builder.getIntegerType(8, false);
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, x.rank()));
  auto extreme = [&](bool greatest) {
    return emitter.reduce({&x}, axes, f32, makeAttribute(f32, 0),
                          [&](OpBuilder &b, Location loc, ValueRange v, Value sofar) {
                            Scalar s{b, loc};
                            return greatest ? s.max(sofar, v[0]) : s.min(sofar, v[0]);
                          });
  };
  Tensor low = extreme(false), high = extreme(true);
  Tensor scale = emitter.elementwise({&low, &high}, {}, f32, [&](OpBuilder &b, Location loc, ValueRange v) {
    Scalar s{b, loc};
    Value range = s.div(s.sub(v[1], v[0]), s.constant(f32, 255));
    return s.select(s.equal(v[1], v[0]), s.constant(f32, 1), range);
  });
  Tensor zeroPoint = emitter.elementwise({&low, &scale}, {}, u8, [&](OpBuilder &b, Location loc, ValueRange v) {
    Scalar s{b, loc};
    return roundToStep(s, s.sub(s.constant(f32, 0), s.div(v[0], v[1])), Value(), u8);
  });
  Tensor steps =
      emitter.elementwise({&x, &scale, &zeroPoint}, x.sizes, u8, [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalar s{b, loc};
        return roundToStep(s, s.div(v[0], v[1]), convert(s, v[2], u8, i32), u8);
      });
  return {steps, scale, zeroPoint};
}

static LogicalResult lowerDynamicQuantizeLinear(NodeContext &node) {
  if (failed(node.requireInputs(1)))
    return failure();
  if (!node.input(0)->elementType.isF32())
    return node.refuse("needs a tensor of f32");
  DynamicSteps quantized = quantizeByRange(node.emitter, *node.input(0));
  node.setOutput(0, quantized.steps);
  node.setOutput(1, quantized.scale);
  node.setOutput(2, quantized.zeroPoint);
  return success();
}

void mlir::heddle::importer::registerQuantization(LoweringTable &table) {
  table.add("QuantizeLinear", 10, lowerQuantizeLinear);
  table.add("DequantizeLinear", 10, lowerDequantizeLinear);
  // ONNX Runtime's own, which came before ai.onnx had 16 and 4 bits.
  table.add("com.microsoft.QuantizeLinear", 1, lowerQuantizeLinear);
  table.add("com.microsoft.DequantizeLinear", 1, lowerDequantizeLinear);
  table.add("DynamicQuantizeLinear", 11, lowerDynamicQuantizeLinear);
}
