// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Onnx/Ops/Quantized/NarrowWeights.h"

#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Import/Emit/SmallFloats.h"
#include "compiler/Stages/Import/Onnx/Forms/Products.h"
#include "heddle/contract/StorageBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

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

// How a matrix [k, n] lies in memory: panels of columns, in each the rows one after the other. Elements of 4 bits and
// less stand two to a byte, those of rows 2i and 2i + 1, the first in the lower bits; integers among them as the
// distance to the least one, so that they need no sign.
class PackedWeights {
public:
  PackedWeights(Emitter &emitter, Quantization &from) : emitter(emitter), from(from), source(*from.source.data) {
    k = source.type.getDimSize(0);
    n = source.type.getDimSize(1);
    const FormModel &forms = emitter.forms;
    for (int64_t width = forms.widestPanel; width >= forms.narrowestPanel && panel == 0; width /= 2)
      if (n % width == 0)
        panel = width;
    panel = panel == 0 ? n : panel;
    Type type = source.type.getElementType();
    isNibble = type.getIntOrFloatBitWidth() < 8;
    if (isNibble && isa<IntegerType>(type) && !type.isUnsignedInteger())
      offset = 1 << (type.getIntOrFloatBitWidth() - 1);
    if (isNibble && (from.block > 0 ? from.block : k) % 2 == 0)
      perByte = 2;
    readZeros();
  }

  Tensor codes() const {
    int64_t rows = k / perByte;
    auto bytes = std::make_shared<std::vector<char>>(n * rows);
    auto *to = reinterpret_cast<uint8_t *>(bytes->data());
    for (int64_t first = 0; first < n; first += panel)
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t column = first; column < first + panel; ++column) {
          uint8_t code = codeAt(row * perByte, column);
          *to++ = perByte == 1 ? code : static_cast<uint8_t>(code | codeAt(row * 2 + 1, column) << 4);
        }
    return make(blocked({n / panel, rows, panel}, rows), emitter.builder.getI8Type(), std::move(bytes));
  }

  // The factors of the blocks, where there are blocks.
  Tensor scales() const {
    return perBlock<float>(emitter.builder.getF32Type(),
                           [&](int64_t i) { return static_cast<float>(from.scale.data->real(i)); });
  }

  bool hasZeros() const { return !zeros.empty(); }
  // The codes that stand for zero, if they differ: for each column, or for each column of a block. As they are stored:
  // bytes, or f32 where they lie between codes.
  Tensor zeroCodes() const {
    if (hasRealZeros())
      return perBlock<float>(emitter.builder.getF32Type(), [&](int64_t i) { return static_cast<float>(zeros[i]); });
    return perBlock<char>(emitter.builder.getI8Type(),
                          [&](int64_t i) { return static_cast<char>(static_cast<int64_t>(zeros[i])); });
  }

  // A byte's elements as f32, in the order of their rows.
  SmallVector<Value> decodeByte(Scalar s, Value byte) const {
    Type type = source.type.getElementType(), f32 = s.b.getF32Type(), i32 = s.b.getI32Type(), i8 = s.b.getI8Type();
    if (!isNibble)
      return {convert(s, byte, type, f32)};
    Value word = arith::ExtUIOp::create(s.b, s.loc, i32, byte);
    SmallVector<Value> codes{word};
    if (perByte == 2)
      codes = {arith::AndIOp::create(s.b, s.loc, word, s.constant(i32, 15)),
               arith::ShRUIOp::create(s.b, s.loc, word, s.constant(i32, 4))};
    return llvm::map_to_vector(codes, [&](Value code) -> Value {
      if (isSmallFloat(type))
        return decode(s, arith::TruncIOp::create(s.b, s.loc, i8, code), cast<FloatType>(type));
      return arith::SIToFPOp::create(s.b, s.loc, f32, code);
    });
  }
  Value decodeZero(Scalar s, Value code) const {
    if (hasRealZeros())
      return code;
    Type type = isNibble ? Type(s.b.getIntegerType(8, false)) : source.type.getElementType();
    return convert(s, code, type, s.b.getF32Type());
  }

  int64_t k = 0, n = 0, panel = 0, perByte = 1;
  double zero = 0; // of all, where !hasZeros()

private:
  uint8_t codeAt(int64_t row, int64_t column) const {
    auto code = static_cast<uint8_t>(source.bytes[row * n + column]);
    return isNibble ? static_cast<uint8_t>(code + offset) : code;
  }

  bool hasRealZeros() const { return from.zeroPoint && from.zeroPoint->isFloat(); }

  void readZeros() {
    if (!from.zeroPoint) {
      zero = static_cast<double>(offset);
      return;
    }
    const TensorData &data = *from.zeroPoint->data;
    for (int64_t i = 0; i < data.size(); ++i)
      zeros.push_back((hasRealZeros() ? data.real(i) : static_cast<double>(data.integer(i))) +
                      static_cast<double>(offset));
    if (llvm::all_equal(zeros)) {
      zero = zeros.front();
      zeros.clear();
    }
  }

  // [panels, rows, panel] with rows cut into blocks.
  SmallVector<int64_t> blocked(SmallVector<int64_t> shape, int64_t rows) const {
    if (from.block > 0) {
      int64_t blocks = k / from.block;
      shape = {shape[0], blocks, rows / blocks, shape[2]};
    }
    return shape;
  }

  // [blocks, n], or [n], in panels.
  template <typename T> Tensor perBlock(Type type, llvm::function_ref<T(int64_t)> element) const {
    int64_t blocks = from.block > 0 ? k / from.block : 1;
    auto bytes = std::make_shared<std::vector<char>>(n * blocks * sizeof(T));
    auto *to = reinterpret_cast<T *>(bytes->data());
    for (int64_t first = 0; first < n; first += panel)
      for (int64_t block = 0; block < blocks; ++block)
        for (int64_t column = first; column < first + panel; ++column)
          *to++ = element(block * n + column);
    SmallVector<int64_t> shape{n / panel, panel};
    if (from.block > 0)
      shape = {n / panel, blocks, panel};
    return make(shape, type, std::move(bytes));
  }

  Tensor make(ArrayRef<int64_t> shape, Type type, std::shared_ptr<std::vector<char>> bytes) const {
    Tensor tensor = emitter.fromData({RankedTensorType::get(shape, type), ArrayRef<char>(*bytes), bytes});
    tensor.name = from.source.name;
    return tensor;
  }

  Emitter &emitter;
  const Quantization &from;
  const TensorData &source;
  bool isNibble = false;
  int64_t offset = 0; // what is added to an integer
  SmallVector<double> zeros;
};

// The loops of a product: rows, panels, columns of a panel; blocks, if there are any; bytes of a column.
struct Loops {
  Builder &b;
  bool blocked;

  int64_t count() const { return blocked ? 5 : 4; }
  AffineExpr operator[](int64_t i) const { return b.getAffineDimExpr(i); }
  AffineExpr byte() const { return (*this)[count() - 1]; }
  AffineMap map(ArrayRef<AffineExpr> exprs) const { return AffineMap::get(count(), 0, exprs, b.getContext()); }
  // Of what each column of a panel has, or each of a block.
  AffineMap perBlock() const {
    return blocked ? map({(*this)[1], (*this)[3], (*this)[2]}) : map({(*this)[1], (*this)[2]});
  }
  AffineMap codes() const {
    return blocked ? map({(*this)[1], (*this)[3], byte(), (*this)[2]}) : map({(*this)[1], byte(), (*this)[2]});
  }
  AffineMap rows(int64_t blockSize, int64_t perByte, int64_t element) const {
    AffineExpr at = byte() * perByte + element;
    return map({(*this)[0], blocked ? (*this)[3] * blockSize + at : at});
  }
};

} // namespace

// The sums over k of [m, k] x [k, n] as [m, panels, columns of a panel].
static Tensor sumPanels(Emitter &emitter, Tensor &rows, Quantization &from) {
  PackedWeights packed(emitter, from);
  bool blocked = from.block > 0;
  Loops loops{emitter.builder, blocked};
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  auto read = [&](Tensor tensor, AffineMap map) {
    operands.push_back(emitter.value(tensor));
    maps.push_back(map);
  };
  for (int64_t i = 0; i < packed.perByte; ++i)
    read(rows, loops.rows(from.block, packed.perByte, i));
  read(packed.codes(), loops.codes());
  if (blocked)
    read(packed.scales(), loops.perBlock());
  if (packed.hasZeros())
    read(packed.zeroCodes(), loops.perBlock());
  maps.push_back(loops.map({loops[0], loops[1], loops[2]}));
  SmallVector<utils::IteratorType> iterators(loops.count(), utils::IteratorType::reduction);
  std::fill_n(iterators.begin(), 3, utils::IteratorType::parallel);
  Type f32 = emitter.builder.getF32Type();
  SizeList sizes{rows.sizes[0], emitter.sizes.constant(packed.n / packed.panel), emitter.sizes.constant(packed.panel)};
  Value init = emitter.filled(f32, sizes, makeAttribute(f32, 0)).value;
  Tensor sums =
      emitter.generic(operands, maps, iterators, sizes, f32, init, [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalar s{b, loc};
        int64_t next = packed.perByte;
        SmallVector<Value> steps = packed.decodeByte(s, v[next++]);
        Value scale = blocked ? v[next++] : Value();
        Value zero = packed.hasZeros()    ? packed.decodeZero(s, v[next++])
                     : packed.zero != 0.0 ? s.constant(f32, packed.zero)
                                          : Value();
        Value product, sum = v.back();
        for (auto [i, step] : llvm::enumerate(steps)) {
          Value term = s.mul(v[i], zero ? s.sub(step, zero) : step);
          if (blocked)
            product = product ? s.add(product, term) : term;
          else
            sum = s.add(sum, term);
        }
        return blocked ? s.add(sum, s.mul(product, scale)) : sum;
      });
  // The weights lie as they are to be read.
  sums.value.getDefiningOp()->setAttr(kKeepsLayoutAttr, emitter.builder.getUnitAttr());
  return sums;
}

Tensor mlir::heddle::importer::multiplyNarrow(NodeContext &node, Tensor rows, Tensor &weights) {
  Emitter &emitter = node.emitter;
  Quantization &from = *weights.quantized;
  emitter.checkEqual(rows.sizes.back(), weights.sizes[0],
                     node.op() + ": the inner sizes of the operands must be equal");
  SizeList shape(ArrayRef<OpFoldResult>(rows.sizes).drop_back());
  Tensor flat = emitter.reshape(rows, {emitter.sizes.product(shape), weights.sizes[0]});
  Tensor sums = sumPanels(emitter, flat, from);
  sums = emitter.reshape(sums, {flat.sizes[0], weights.sizes[1]});
  if (from.block == 0) {
    Type f32 = sums.elementType, type = from.scale.elementType;
    Tensor scale = from.axis ? from.scale : emitter.reshape(from.scale, {});
    sums = emitter.elementwise({&sums, &scale}, sums.sizes, f32, [&](OpBuilder &b, Location loc, ValueRange v) {
      Scalar s{b, loc};
      return s.mul(v[0], convert(s, v[1], type, f32));
    });
  }
  shape.push_back(weights.sizes[1]);
  return emitter.reshape(sums, shape);
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
    product = multiplyNarrow(node, rows, weights);
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
