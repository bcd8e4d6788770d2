// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Emit/NarrowProduct.h"

#include "compiler/Dialect/Intent/IR/IntentOps.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;

bool mlir::heddle::importer::isNarrowWeight(const FormModel &forms, const Tensor &rows, const Tensor &weights) {
  if (!weights.quantized || weights.rank() != 2 || !rows.elementType.isF32() || !weights.elementType.isF32())
    return false;
  const Quantization &from = *weights.quantized;
  bool isConstant = from.source.data && from.scale.data && (!from.zeroPoint || from.zeroPoint->data);
  if (!isConstant || from.source.data->size() == 0 || storageType(from.source.elementType).getIntOrFloatBitWidth() != 8)
    return false;
  if (isSmallFloat(from.source.elementType) && from.zeroPoint)
    return false;
  if (!from.forBandwidth) {
    std::optional<int64_t> count = 1;
    for (OpFoldResult size : ArrayRef<OpFoldResult>(rows.sizes).drop_back())
      count = count && getConstantIntValue(size) ? std::optional(*count * *getConstantIntValue(size)) : std::nullopt;
    if (!count || *count > forms.bandwidthRows)
      return false;
  }
  if (from.block > 0)
    return from.axis == 0 && from.source.data->type.getDimSize(0) % from.block == 0;
  return !from.axis || from.axis == 1;
}

namespace {

// A quantised matrix [k, n] as `intent.quantized_product` has it. Integers of 4 bits and less are stored as the
// distance to the least one, so that they need no sign.
class StoredWeights {
public:
  StoredWeights(Emitter &emitter, Quantization &from) : emitter(emitter), from(from), source(*from.source.data) {
    k = source.type.getDimSize(0);
    n = source.type.getDimSize(1);
    code = source.type.getElementType();
    if (auto integer = dyn_cast<IntegerType>(code); integer && integer.getWidth() < 8) {
      offset = integer.isUnsigned() ? 0 : 1 << (integer.getWidth() - 1);
      code = emitter.builder.getIntegerType(integer.getWidth(), /*isSigned=*/false);
    }
    if (code.getIntOrFloatBitWidth() < 8 && (from.block > 0 ? from.block : k) % 2 == 0)
      perByte = 2;
  }

  Tensor codes() const {
    int64_t rows = k / perByte;
    auto bytes = std::make_shared<std::vector<char>>(n * rows);
    auto *to = reinterpret_cast<uint8_t *>(bytes->data());
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < n; ++column) {
        uint8_t first = codeAt(row * perByte, column);
        *to++ = perByte == 1 ? first : static_cast<uint8_t>(first | codeAt(row * 2 + 1, column) << 4);
      }
    SmallVector<int64_t> shape{rows, n};
    if (from.block > 0)
      shape = {k / from.block, from.block / perByte, n};
    return make(shape, emitter.builder.getI8Type(), std::move(bytes));
  }

  // Of blocks in f32; of columns as the model has them.
  Tensor scales() const {
    if (from.block > 0)
      return perBlock<float>(emitter.builder.getF32Type(), [&](int64_t i) { return from.scale.data->real(i); });
    return from.axis ? from.scale : emitter.reshape(from.scale, {});
  }

  // The codes that stand for zero, or floats between them; none where that is 0.
  std::optional<Tensor> zeros() const {
    bool isReal = from.zeroPoint && from.zeroPoint->isFloat();
    SmallVector<double> values{static_cast<double>(offset)};
    if (from.zeroPoint) {
      values.clear();
      const TensorData &data = *from.zeroPoint->data;
      for (int64_t i = 0; i < data.size(); ++i)
        values.push_back((isReal ? data.real(i) : static_cast<double>(data.integer(i))) + static_cast<double>(offset));
    }
    bool isOne = llvm::all_equal(values);
    if (isOne && values.front() == 0)
      return std::nullopt;
    if (isReal)
      return isOne ? makeScalar(emitter, emitter.builder.getF32Type(), values.front())
                   : perBlock<float>(emitter.builder.getF32Type(), [&](int64_t i) { return values[i]; });
    Type i8 = emitter.builder.getI8Type();
    auto byte = [&](int64_t i) { return static_cast<char>(static_cast<int64_t>(values[i])); };
    return isOne ? makeScalar(emitter, i8, byte(0)) : perBlock<char>(i8, byte);
  }

  Type code;

private:
  uint8_t codeAt(int64_t row, int64_t column) const {
    return static_cast<uint8_t>(source.bytes[row * n + column] + offset);
  }

  // [blocks, n], or [n].
  template <typename T, typename ElementT> Tensor perBlock(Type type, ElementT element) const {
    SmallVector<int64_t> shape{n};
    if (from.block > 0)
      shape.insert(shape.begin(), k / from.block);
    auto bytes = std::make_shared<std::vector<char>>(ShapedType::getNumElements(shape) * sizeof(T));
    for (int64_t i = 0; i < ShapedType::getNumElements(shape); ++i)
      reinterpret_cast<T *>(bytes->data())[i] = static_cast<T>(element(i));
    return make(shape, type, std::move(bytes));
  }

  Tensor make(ArrayRef<int64_t> shape, Type type, std::shared_ptr<std::vector<char>> bytes) const {
    Tensor tensor = emitter.fromData({RankedTensorType::get(shape, type), ArrayRef<char>(*bytes), bytes});
    tensor.name = from.source.name;
    return tensor;
  }

  Emitter &emitter;
  Quantization &from;
  const TensorData &source;
  int64_t k = 0, n = 0, perByte = 1;
  int64_t offset = 0; // what is added to an integer
};

} // namespace

Tensor mlir::heddle::importer::multiplyNarrow(Emitter &emitter, Tensor rows, Tensor &weights, StringRef name) {
  Quantization &from = *weights.quantized;
  emitter.checkEqual(rows.sizes.back(), weights.sizes[0], name + ": the inner sizes of the operands must be equal");
  SizeList shape(ArrayRef<OpFoldResult>(rows.sizes).drop_back());
  Tensor flat = emitter.reshape(rows, {emitter.sizes.product(shape), weights.sizes[0]});
  StoredWeights stored(emitter, from);
  Tensor codes = stored.codes(), scales = stored.scales();
  std::optional<Tensor> zeros = stored.zeros();
  SizeList sizes{flat.sizes[0], weights.sizes[1]};
  Type f32 = emitter.builder.getF32Type();
  Value operands[] = {emitter.value(flat), emitter.value(codes), emitter.value(scales),
                      zeros ? emitter.value(*zeros) : Value()};
  auto product =
      intent::QuantizedProductOp::create(emitter.builder, emitter.loc, RankedTensorType::get(shapeOf(sizes), f32),
                                         operands[0], operands[1], operands[2], operands[3], stored.code);
  Tensor result = emitter.fromValue(product.getResult(), sizes);
  shape.push_back(weights.sizes[1]);
  return emitter.reshape(result, shape);
}
