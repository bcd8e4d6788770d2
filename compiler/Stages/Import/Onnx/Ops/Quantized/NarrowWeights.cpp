// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Onnx/Ops/Quantized/NarrowWeights.h"

#include "compiler/Dialect/Intent/IR/IntentOps.h"
#include "compiler/Stages/Import/Onnx/Forms/Products.h"
#include "heddle/contract/StorageBytes.h"

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
      return perBlock<float>(emitter.builder.getF32Type(), [&](int64_t i) {
        return from.scale.data->real(placeIn(*from.scale.data, i));
      });
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
  int64_t placeIn(const TensorData &data, int64_t i) const {
    return from.block > 0 ? i : data.size() == n ? i % n : 0;
  }

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

Tensor mlir::heddle::importer::multiplyNarrow(NodeContext &node, Tensor rows, Tensor &weights, bool allowed) {
  Emitter &emitter = node.emitter;
  Quantization &from = *weights.quantized;
  emitter.checkEqual(rows.sizes.back(), weights.sizes[0],
                     node.op() + ": the inner sizes of the operands must be equal");
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

std::optional<Tensor> mlir::heddle::importer::scaleTable(Emitter &emitter, const Tensor &table, const Tensor &factor) {
  if (!table.quantized || !table.quantized->source.data || !table.quantized->scale.data || !factor.data)
    return std::nullopt;
  Quantization scaled = *table.quantized;
  int64_t last = table.rank() - 1;
  bool perColumn = factor.rank() > 0 && factor.data->size() > 1;
  bool fits = factor.rank() <= table.rank() && factor.data->size() > 0 &&
              (!perColumn || factor.data->size() == scaled.source.data->type.getShape().back());
  if (!fits || scaled.block > 0 || !table.elementType.isF32() || !factor.elementType.isF32() ||
      (perColumn && (factor.data->type.getShape().back() != factor.data->size() || scaled.axis.value_or(last) != last)))
    return std::nullopt;
  int64_t count = std::max(factor.data->size(), scaled.scale.data->size());
  auto at = [](const TensorData &data, int64_t i) { return data.real(data.size() == 1 ? 0 : i); };
  auto bytes = std::make_shared<std::vector<char>>(count * sizeof(float));
  for (int64_t i = 0; i < count; ++i)
    reinterpret_cast<float *>(bytes->data())[i] = static_cast<float>(at(*scaled.scale.data, i) * at(*factor.data, i));
  SmallVector<int64_t> shape;
  if (perColumn) {
    scaled.axis = last;
    shape = {count};
  } else {
    shape = llvm::to_vector(scaled.scale.data->type.getShape());
  }
  scaled.scale = emitter.fromData({RankedTensorType::get(shape, factor.elementType), ArrayRef<char>(*bytes), bytes});
  return emitter.fromQuantization(std::move(scaled));
}

//===--- MatMulNBits ---------------------------------------------------------------------------------------------===//

namespace {

// com.microsoft.MatMulNBits: A [.., K] x B transposed, where B [N, blocks, bytes of a block] has codes of 2, 4 or 8
// bits, from the lowest bits up; scales [N, blocks], zero points likewise packed [N, bytes of a row].
struct PackedOperand {
  NodeContext &node;
  int64_t k = node.getInt("K", 0), n = node.getInt("N", 0), bits = node.getInt("bits", 4);
  int64_t block = node.getInt("block_size", 32);
  int64_t blocks = block > 0 ? llvm::divideCeil(k, block) : 0;

  LogicalResult check() {
    Tensor &a = *node.input(0);
    if (k <= 0 || n <= 0 || block < 2 || (bits != 2 && bits != 4 && bits != 8) || block % (8 / bits) != 0)
      return node.refuse("needs K and N, bits of 2, 4 or 8, and a block_size of whole bytes");
    if (a.rank() == 0 || node.emitter.sizes.different(a.sizes.back(), node.emitter.sizes.constant(k)))
      return node.refuse("A must have K = " + Twine(k) + " columns");
    if (node.input(4))
      return node.unsupported("g_idx is not supported");
    for (size_t i : {1, 2, 3})
      if (node.input(i) && !node.input(i)->data)
        return node.unsupported("needs constant B, scales and zero points");
    auto holds = [&](size_t i, uint64_t perColumn) { // saturated: more than any tensor has
      return llvm::SaturatingMultiply<uint64_t>(n, perColumn) == static_cast<uint64_t>(*node.input(i)->staticCount());
    };
    uint64_t count = std::min<uint64_t>(llvm::SaturatingMultiply<uint64_t>(blocks, block), INT64_MAX);
    uint64_t codes = ::heddle::contract::packedBytes(bits, count).value_or(INT64_MAX);
    if (!node.input(1)->elementType.isUnsignedInteger(8) || !holds(1, codes) || !holds(2, blocks))
      return node.refuse(
          "B must be uint8 [N, ceil(K / block_size), block_size * bits / 8], with a scale for each block");
    if (Tensor *zeros = node.input(3);
        zeros &&
        (zeros->isFloat() ? isSmallFloat(zeros->elementType) || !holds(3, blocks)
                          : !zeros->elementType.isUnsignedInteger(8) || !holds(3, llvm::divideCeil(blocks * bits, 8))))
      return node.refuse("zero points must be uint8 [N, ceil(ceil(K / block_size) * bits / 8)], or floats "
                         "[N, ceil(K / block_size)] that are not packed");
    return success();
  }

  uint8_t code(const TensorData &data, int64_t row, int64_t perRow, int64_t i) const {
    int64_t perByte = 8 / bits;
    auto byte = static_cast<uint8_t>(data.bytes[row * perRow + i / perByte]);
    return byte >> (i % perByte * bits) & ((1 << bits) - 1);
  }

  // A constant [rows, N].
  template <typename T> Tensor make(int64_t rows, Type type, std::vector<T> elements) {
    auto owner = std::make_shared<std::vector<T>>(std::move(elements));
    ArrayRef<char> bytes(reinterpret_cast<const char *>(owner->data()), owner->size() * sizeof(T));
    return node.emitter.fromData({RankedTensorType::get({rows, n}, type), bytes, owner});
  }

  // What stands for zero in each block of each column: codes, or floats where the model has floats.
  Tensor zeroPoints(Type codeType) {
    Tensor *given = node.input(3);
    if (given && given->isFloat())
      return make(blocks, node.emitter.builder.getF32Type(), perBlock(*given->data));
    std::vector<char> zeros(blocks * n, static_cast<char>(1 << (bits - 1)));
    for (int64_t column = 0; given && column < n; ++column)
      for (int64_t i = 0; i < blocks; ++i)
        zeros[i * n + column] = static_cast<char>(code(*given->data, column, llvm::divideCeil(blocks * bits, 8), i));
    return make(blocks, codeType, std::move(zeros));
  }

  // Floats [N, blocks] as [blocks, N].
  std::vector<float> perBlock(const TensorData &data) const {
    std::vector<float> turned(blocks * n);
    for (int64_t column = 0; column < n; ++column)
      for (int64_t i = 0; i < blocks; ++i)
        turned[i * n + column] = static_cast<float>(data.real(column * blocks + i));
    return turned;
  }

  // B as a quantised [K, N].
  Tensor weights() {
    Emitter &emitter = node.emitter;
    Type codeType = emitter.builder.getIntegerType(bits, false);
    const TensorData &b = *node.input(1)->data;
    std::vector<char> codes(k * n);
    for (int64_t column = 0; column < n; ++column)
      for (int64_t row = 0; row < k; ++row)
        codes[row * n + column] = static_cast<char>(code(b, column, blocks * block * bits / 8, row));
    Quantization from{make(k, codeType, std::move(codes)),
                      make(blocks, emitter.builder.getF32Type(), perBlock(*node.input(2)->data)), zeroPoints(codeType),
                      0};
    from.source.name = node.input(1)->name;
    from.block = block;
    return emitter.fromQuantization(std::move(from));
  }
};

} // namespace

static LogicalResult lowerMatMulNBits(NodeContext &node) {
  if (failed(node.requireInputs(3)) || failed(requireFloat(node, 0)))
    return failure();
  PackedOperand operand{node};
  if (failed(operand.check()))
    return failure();
  Emitter &emitter = node.emitter;
  Type type = node.input(0)->elementType, f32 = emitter.builder.getF32Type();
  auto convertAll = [&](Tensor tensor, Type from, Type to) {
    return from == to ? tensor
                      : emitter.elementwise({&tensor}, tensor.sizes, to, [&](OpBuilder &b, Location loc, ValueRange v) {
                          return convert({b, loc}, v[0], from, to);
                        });
  };
  Tensor rows = convertAll(*node.input(0), type, f32), weights = operand.weights(), product;
  if (isNarrowWeight(emitter.forms, rows, weights)) {
    constexpr int64_t kBytes = 4; // the accuracy level at which ONNX Runtime rounds rows
    product = multiplyNarrow(node, rows, weights, node.getInt("accuracy_level", 0) == kBytes);
  } else {
    FailureOr<Tensor> wide = multiplyAnyRank(node, rows, weights);
    if (failed(wide))
      return failure();
    product = *wide;
  }
  if (Tensor *bias = node.input(5)) {
    Type biasType = bias->elementType;
    if (bias->staticCount() != operand.n)
      return node.refuse("the bias must have N elements");
    Tensor flat = emitter.reshape(*bias, {emitter.sizes.constant(operand.n)});
    product = emitter.elementwise({&product, &flat}, product.sizes, f32, [&](OpBuilder &b, Location loc, ValueRange v) {
      Scalar s{b, loc};
      return s.add(v[0], convert(s, v[1], biasType, f32));
    });
  }
  node.setOutput(0, convertAll(product, f32, type));
  return success();
}

void mlir::heddle::importer::registerNarrowWeights(LoweringTable &table) {
  table.add("com.microsoft.MatMulNBits", 1, lowerMatMulNBits);
}
