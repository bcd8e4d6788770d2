// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Onnx/Ops/Quantized/NarrowWeights.h"

#include "compiler/Stages/Import/Onnx/Forms/Products.h"
#include "heddle/contract/StorageBytes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;

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
    bool allowed = node.getInt("accuracy_level", 0) == 4; // the level at which ONNX Runtime rounds rows to bytes
    product = multiplyNarrow(emitter, rows, weights, node.op(), allowed);
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
