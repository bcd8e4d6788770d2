// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Emit/NarrowProduct.h"

#include "compiler/Dialect/Intent/IR/IntentOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

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
  return from.block > 0 ? from.axis == 0 : !from.axis || from.axis == 1;
}

// The block in which rows are rounded that these weights multiply; 0: they are not.
static int64_t roundedBlock(const FormModel &forms, const Quantization &from, bool allowed) {
  using Rounding = FormModel::Rounding;
  int64_t block = from.block > 0 ? from.block : forms.roundedBlock;
  bool isWanted = forms.rounding == Rounding::Always || (forms.rounding == Rounding::Allowed && allowed);
  return isWanted && isa<IntegerType>(from.source.elementType) && intent::isRoundedBlock(block) ? block : 0;
}

namespace {

// A quantised matrix [k, n] as `intent.quantized_product` has it. Integers of 4 bits and less are stored as the
// distance to the least one, so that they need no sign; for rounded rows those of 8 bits, too. There are whole blocks:
// what is behind the last row is multiplied with zeros.
class StoredWeights {
public:
  // `rounded`: the block of the rows, 0 for rows as they are.
  StoredWeights(Emitter &emitter, Quantization &from, int64_t rounded)
      : emitter(emitter), from(from), source(*from.source.data), block(rounded > 0 ? rounded : from.block) {
    k = source.type.getDimSize(0);
    n = source.type.getDimSize(1);
    depth = block > 0 ? llvm::alignTo(k, block) : k;
    code = source.type.getElementType();
    if (auto integer = dyn_cast<IntegerType>(from.source.elementType);
        integer && (integer.getWidth() < 8 || rounded > 0)) {
      offset = integer.isUnsigned() ? 0 : 1 << (integer.getWidth() - 1);
      code = emitter.builder.getIntegerType(integer.getWidth(), /*isSigned=*/false);
    }
    if (code.getIntOrFloatBitWidth() < 8 && (block > 0 ? block : k) % 2 == 0)
      perByte = 2;
  }

  Tensor codes() const {
    int64_t rows = depth / perByte;
    auto bytes = std::make_shared<std::vector<char>>(n * rows);
    auto *to = reinterpret_cast<uint8_t *>(bytes->data());
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < n; ++column) {
        uint8_t first = codeAt(row * perByte, column);
        *to++ = perByte == 1 ? first : static_cast<uint8_t>(first | codeAt(row * 2 + 1, column) << 4);
      }
    SmallVector<int64_t> shape{rows, n};
    if (block > 0)
      shape = {depth / block, block / perByte, n};
    return make(shape, emitter.builder.getI8Type(), std::move(bytes));
  }

  // Of blocks in f32; of columns as the model has them.
  Tensor scales() const {
    if (block > 0)
      return perBlock<float>(emitter.builder.getF32Type(),
                             [&](int64_t i) { return from.scale.data->real(placeIn(*from.scale.data, i)); });
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
    auto value = [&](int64_t i) { return values[placeIn(*from.zeroPoint->data, i)]; };
    if (isReal)
      return isOne ? makeScalar(emitter, emitter.builder.getF32Type(), values.front())
                   : perBlock<float>(emitter.builder.getF32Type(), value);
    Type i8 = emitter.builder.getI8Type();
    auto byte = [](double number) { return static_cast<char>(static_cast<int64_t>(number)); };
    return isOne ? makeScalar(emitter, i8, byte(values.front()))
                 : perBlock<char>(i8, [&](int64_t i) { return byte(value(i)); });
  }

  Type code;
  int64_t depth = 0; // rows of the codes

private:
  // Where the data, of blocks, of columns or of all, have the number of a column of a block.
  int64_t placeIn(const TensorData &data, int64_t i) const { return from.block > 0 ? i : data.size() == n ? i % n : 0; }

  uint8_t codeAt(int64_t row, int64_t column) const {
    return row < k ? static_cast<uint8_t>(source.bytes[row * n + column] + offset) : 0;
  }

  // [blocks, n], or [n].
  template <typename T, typename ElementT> Tensor perBlock(Type type, ElementT element) const {
    SmallVector<int64_t> shape{n};
    if (block > 0)
      shape.insert(shape.begin(), depth / block);
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
  int64_t block, k = 0, n = 0, perByte = 1;
  int64_t offset = 0; // what is added to an integer
};

} // namespace

// Zeros behind the columns, up to `depth` of them.
static Tensor fillColumns(Emitter &emitter, Tensor &rows, int64_t depth) {
  if (rows.isStaticSize(1, depth))
    return rows;
  Sizes &sizes = emitter.sizes;
  SizeList low(2, sizes.constant(0)), high{low[0], sizes.sub(sizes.constant(depth), rows.sizes[1])};
  SizeList shape{rows.sizes[0], sizes.constant(depth)};
  auto type = RankedTensorType::get(shapeOf(shape), rows.elementType);
  Value zero = arith::ConstantOp::create(emitter.builder, emitter.loc, makeAttribute(rows.elementType, 0));
  return emitter.fromValue(
      tensor::PadOp::create(emitter.builder, emitter.loc, type, emitter.value(rows), low, high, zero), shape);
}

Tensor mlir::heddle::importer::multiplyNarrow(Emitter &emitter, Tensor rows, Tensor &weights, StringRef name,
                                              bool allowed) {
  Quantization &from = *weights.quantized;
  emitter.checkEqual(rows.sizes.back(), weights.sizes[0], name + ": the inner sizes of the operands must be equal");
  SizeList shape(ArrayRef<OpFoldResult>(rows.sizes).drop_back());
  Tensor flat = emitter.reshape(rows, {emitter.sizes.product(shape), weights.sizes[0]});
  int64_t rounded = roundedBlock(emitter.forms, from, allowed);
  StoredWeights stored(emitter, from, rounded);
  flat = fillColumns(emitter, flat, stored.depth);
  Tensor codes = stored.codes(), scales = stored.scales();
  std::optional<Tensor> zeros = stored.zeros();
  SizeList sizes{flat.sizes[0], weights.sizes[1]};
  Type f32 = emitter.builder.getF32Type();
  Value operands[] = {emitter.value(flat), emitter.value(codes), emitter.value(scales),
                      zeros ? emitter.value(*zeros) : Value()};
  auto product = intent::QuantizedProductOp::create(
      emitter.builder, emitter.loc, RankedTensorType::get(shapeOf(sizes), f32), operands[0], operands[1], operands[2],
      operands[3], stored.code, rounded > 0 ? emitter.builder.getI64IntegerAttr(rounded) : IntegerAttr());
  Tensor result = emitter.fromValue(product.getResult(), sizes);
  shape.push_back(weights.sizes[1]);
  return emitter.reshape(result, shape);
}
