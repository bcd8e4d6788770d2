// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants of narrow elements that are converted, shifted and scaled to floats: they stay as they are for products.
#include "compiler/Stages/Import/StableHlo/Converter.h"

#include <cmath>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;
using importer::Quantization;
using importer::TensorData;

namespace {

// Along which dimensions a factor of a tensor differs: none, one (`axis`), or all but one (`axis`, `block` its size).
struct Spread {
  std::optional<int64_t> axis;
  int64_t block = 0;

  bool operator==(const Spread &other) const { return axis == other.axis && block == other.block; }
};

} // namespace

static std::optional<Spread> spreadOf(const Tensor &factor, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> along, across;
  for (auto [d, size] : llvm::enumerate(shape))
    if (size != 1)
      (factor.isStaticSize(d, 1) ? across : along).push_back(d);
  if (along.empty())
    return Spread{};
  if (along.size() == 1)
    return Spread{along.front()};
  if (across.size() == 1)
    return Spread{across.front(), shape[across.front()]};
  return std::nullopt;
}

// A constant factor, which may be narrow, as a quantised tensor of that spread has it.
static Tensor factorOf(Emitter &emitter, const Tensor &factor, const Spread &spread, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> sizes;
  if (spread.block > 0) {
    sizes.assign(shape.begin(), shape.end());
    sizes[*spread.axis] = 1;
  } else if (spread.axis) {
    sizes.push_back(shape[*spread.axis]);
  }
  int64_t count = ShapedType::getNumElements(sizes);
  auto bytes = std::make_shared<std::vector<char>>(count * sizeof(float));
  for (int64_t i = 0; i < count; ++i)
    reinterpret_cast<float *>(bytes->data())[i] =
        static_cast<float>(factor.data->real(factor.data->size() == 1 ? 0 : i));
  return emitter.fromData({RankedTensorType::get(sizes, emitter.builder.getF32Type()), ArrayRef<char>(*bytes), bytes});
}

// Zeros that are codes as such.
static Tensor asCodes(Emitter &emitter, Tensor zeros, Type code) {
  auto integer = dyn_cast<IntegerType>(code);
  const TensorData &data = *zeros.data;
  if (!integer)
    return zeros;
  importer::Sizes::Range range = importer::Sizes::rangeOf(
      integer.isSignless() || integer.isSigned() ? IntegerType::get(code.getContext(), integer.getWidth()) : integer);
  auto bytes = std::make_shared<std::vector<char>>(data.size());
  for (int64_t i = 0; i < data.size(); ++i) {
    double value = data.real(i);
    if (!(value >= static_cast<double>(range.least) && value <= static_cast<double>(range.most)) ||
        value != std::trunc(value))
      return zeros;
    (*bytes)[i] = static_cast<char>(static_cast<int64_t>(value));
  }
  return emitter.fromData({RankedTensorType::get(data.type.getShape(), code), ArrayRef<char>(*bytes), bytes});
}

static bool isUnit(const Tensor &scale) {
  for (int64_t i = 0; i < scale.data->size(); ++i)
    if (scale.data->real(i) != 1)
      return false;
  return true;
}

// A constant of at most 8 bits an element that becomes f32.
static std::optional<Tensor> convertNarrow(OpContext &op) {
  Tensor &source = op.narrow(0);
  Type from = op.operandType(0).getElementType();
  bool isNarrow = isFloat8(from) || (isa<IntegerType>(from) && !from.isInteger(1) && from.getIntOrFloatBitWidth() <= 8);
  if (!source.data || !isNarrow || !op.resultType(0).getElementType().isF32() || source.rank() < 2 ||
      importer::shapeOf(source.sizes) != SmallVector<int64_t>(op.resultType(0).getShape()) || source.data->size() == 0)
    return std::nullopt;
  Tensor one = importer::makeScalar(op.emitter, op.emitter.builder.getF32Type(), 1);
  return op.emitter.fromQuantization({source, one, std::nullopt, std::nullopt});
}

// Such a constant less zeros, or times scales, which are constants, too.
static std::optional<Tensor> adjustNarrow(OpContext &op, unsigned i, bool isScale) {
  Tensor &narrow = op.narrow(i), &factor = op.narrow(1 - i);
  if (!narrow.quantized || !factor.data || !factor.elementType.isF32() || factor.data->size() == 0)
    return std::nullopt;
  Quantization quantized = *narrow.quantized;
  SmallVector<int64_t> shape = importer::shapeOf(narrow.sizes);
  std::optional<Spread> spread = spreadOf(factor, shape);
  Spread before{quantized.axis, quantized.block};
  if (!spread || !quantized.source.data || !quantized.scale.data || !isUnit(quantized.scale) ||
      (!isScale && quantized.zeroPoint))
    return std::nullopt;
  bool hasZeros = quantized.zeroPoint && before.axis;
  if (hasZeros && spread->axis && !(*spread == before))
    return std::nullopt;
  Spread both = hasZeros ? before : *spread;
  Emitter &emitter = op.emitter;
  Tensor one = importer::makeScalar(emitter, emitter.builder.getF32Type(), 1);
  quantized.axis = both.axis;
  quantized.block = both.block;
  quantized.scale = factorOf(emitter, isScale ? factor : one, both, shape);
  if (!isScale)
    quantized.zeroPoint = asCodes(emitter, factorOf(emitter, factor, both, shape), quantized.source.elementType);
  return emitter.fromQuantization(std::move(quantized));
}

std::optional<Tensor> mlir::heddle::hlo::dequantize(OpContext &op) {
  StringRef name = op.op->getName().getStringRef();
  if (name == "stablehlo.convert")
    return convertNarrow(op);
  if (name == "stablehlo.subtract")
    return adjustNarrow(op, 0, /*isScale=*/false);
  if (name != "stablehlo.multiply")
    return std::nullopt;
  std::optional<Tensor> left = adjustNarrow(op, 0, /*isScale=*/true);
  return left ? left : adjustNarrow(op, 1, /*isScale=*/true);
}
