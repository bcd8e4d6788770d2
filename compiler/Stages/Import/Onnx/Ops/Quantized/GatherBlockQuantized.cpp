// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX Runtime's GatherBlockQuantized (domain com.microsoft): a Gather from a table that is quantised in blocks. The
// table stays as narrow as the model has it; only what is gathered is dequantised.
#include "compiler/Stages/Import/Emit/Scalars.h"
#include "compiler/Stages/Import/Emit/SmallFloats.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::heddle::importer;

namespace {

// Codes of the table's shape; `perByte` of them lie in a byte along the last dimension, the first in the lowest bits.
struct Codes {
  Tensor tensor;
  int64_t bits = 8, perByte = 1;
  bool isSigned = false; // of packed ones

  // The code at a place of the table, as f32.
  Value read(Scalar s, Value source, SmallVector<Value> at) const {
    Type f32 = s.b.getF32Type(), i32 = s.b.getI32Type();
    Value last = at.empty() ? Value() : at.back(), count = index(s, perByte);
    if (perByte > 1)
      at.back() = arith::DivUIOp::create(s.b, s.loc, last, count);
    Value element = tensor::ExtractOp::create(s.b, s.loc, source, at);
    if (perByte == 1)
      return convert(s, element, tensor.elementType, f32);
    Value place = arith::IndexCastOp::create(s.b, s.loc, i32, arith::RemUIOp::create(s.b, s.loc, last, count));
    Value word = arith::ExtUIOp::create(s.b, s.loc, i32, element);
    word = arith::ShRUIOp::create(s.b, s.loc, word, s.mul(place, s.constant(i32, static_cast<double>(bits))));
    Value code = arith::AndIOp::create(s.b, s.loc, word, s.constant(i32, static_cast<double>((1 << bits) - 1)));
    if (isSigned) {
      Value sign = s.constant(i32, static_cast<double>(1 << (bits - 1)));
      code = s.sub(arith::XOrIOp::create(s.b, s.loc, code, sign), sign);
    }
    return arith::SIToFPOp::create(s.b, s.loc, f32, code);
  }

  static Value index(Scalar s, int64_t value) { return arith::ConstantIndexOp::create(s.b, s.loc, value); }
};

class BlockTable {
public:
  explicit BlockTable(NodeContext &node) : node(node), emitter(node.emitter), sizes(emitter.sizes) {}

  LogicalResult run() {
    if (failed(node.requireInputs(3)) || failed(readTable()) || failed(readAxes()) || failed(checkScales()))
      return failure();
    if (getConstantIntValue(shape[gatherAxis]) == 0)
      return node.unsupported("the table is empty");
    emitter.checkLessEqual(sizes.constant(1), shape[gatherAxis], "GatherBlockQuantized: the table is empty");
    pack();
    node.setOutput(0, gather());
    return success();
  }

private:
  LogicalResult readTable() {
    Tensor &data = *node.input(0), &scales = *node.input(2), *zeros = node.input(3);
    Type type = data.elementType;
    bool isByte = type.isUnsignedInteger(8), isNibble = type.isSignlessInteger(4) || type.isUnsignedInteger(4);
    isReal = isSmallFloat(type);
    if (data.rank() < 1 || (!isByte && !isNibble && !isReal) || !node.input(1)->isInteger())
      return node.refuse("needs a table of int4, uint4, uint8 or floats of 8 or 4 bits, and indices of integers");
    if (scales.rank() != data.rank() || !scales.isFloat() || isSmallFloat(scales.elementType) ||
        (zeros && (isReal || zeros->rank() != data.rank() || zeros->elementType != type)))
      return node.refuse("needs scales of the table's rank, and zero points of its rank and type, of integers only");
    codes.tensor = data;
    codes.bits = isByte ? node.getInt("bits", 4) : 8;
    if (codes.bits != 2 && codes.bits != 4 && codes.bits != 8)
      return node.refuse("attribute 'bits' must be 2, 4 or 8, got " + Twine(codes.bits));
    codes.perByte = 8 / codes.bits;
    shape = data.sizes;
    shape.back() = sizes.mul(shape.back(), sizes.constant(codes.perByte));
    middle = isByte ? static_cast<double>(1 << (codes.bits - 1)) : 0;
    return success();
  }

  LogicalResult readAxes() {
    int64_t rank = codes.tensor.rank();
    std::optional<int64_t> from = node.normalizeAxis(node.getInt("gather_axis", 0), rank),
                           along = node.normalizeAxis(node.getInt("quantize_axis", 1), rank);
    if (!from || !along)
      return failure();
    gatherAxis = *from;
    quantizeAxis = *along;
    block = node.getInt("block_size", 128);
    if ((block < 16 || !llvm::isPowerOf2_64(block)) && (block != 0 || !isReal))
      return node.refuse("attribute 'block_size' must be a power of 2 from 16 on, got " + Twine(block));
    if (codes.tensor.elementType.isUnsignedInteger(8) && gatherAxis != 0)
      return node.refuse("a table of uint8 is gathered along axis 0, got " + Twine(gatherAxis));
    if (codes.perByte > 1 && gatherAxis == quantizeAxis)
      return node.refuse("the axes to gather and to quantise along must differ where codes are packed");
    return success();
  }

  LogicalResult checkScales() {
    Tensor &scales = *node.input(2), *zeros = node.input(3);
    int64_t rank = scales.rank();
    for (int64_t d = 0; d < rank; ++d) {
      OpFoldResult want = d != quantizeAxis ? shape[d]
                          : block == 0      ? sizes.constant(1)
                                            : sizes.ceilDiv(shape[d], sizes.constant(block));
      if (isReal && d != quantizeAxis && scales.isStaticSize(d, 1))
        continue;
      if (sizes.different(scales.sizes[d], want))
        return node.refuse("needs a scale for each block of " + Twine(block) + " along axis " + Twine(quantizeAxis));
      emitter.checkEqual(scales.sizes[d], want, "GatherBlockQuantized: needs a scale for each block");
    }
    for (int64_t d = 0; zeros && d < rank; ++d) {
      int64_t packed = d == rank - 1 ? codes.perByte : 1;
      OpFoldResult want = sizes.ceilDiv(scales.sizes[d], sizes.constant(packed));
      if (sizes.different(zeros->sizes[d], want))
        return node.refuse("needs a zero point for each scale, packed as the table is");
      emitter.checkEqual(zeros->sizes[d], want, "GatherBlockQuantized: needs a zero point for each scale");
    }
    return success();
  }

  // A constant table of 4 bits, which have a byte each here, takes half as many.
  void pack() {
    const std::optional<TensorData> &data = codes.tensor.data;
    int64_t last = codes.tensor.rank() - 1;
    if (!data || !codes.tensor.isInteger() || codes.tensor.elementType.getIntOrFloatBitWidth() != 4 ||
        data->type.getDimSize(last) % 2 != 0)
      return;
    auto bytes = std::make_shared<std::vector<char>>(data->size() / 2);
    for (int64_t i = 0; i < data->size() / 2; ++i)
      (*bytes)[i] = static_cast<char>((data->bytes[2 * i] & 15) | (data->bytes[2 * i + 1] & 15) << 4);
    SmallVector<int64_t> packed(data->type.getShape());
    packed[last] /= 2;
    Type byte = emitter.builder.getIntegerType(8, false);
    bool isSigned = !codes.tensor.isUnsigned();
    std::string name = codes.tensor.name;
    codes = {emitter.fromData({RankedTensorType::get(packed, byte), ArrayRef<char>(*bytes), bytes}), 4, 2, isSigned};
    codes.tensor.name = name;
  }

  Tensor gather() {
    Tensor &indices = *node.input(1), &scales = *node.input(2), *zeros = node.input(3);
    ArrayRef<OpFoldResult> all(shape);
    SizeList result(all.take_front(gatherAxis)), rest(all.drop_front(gatherAxis + 1)), aligned = indices.sizes;
    llvm::append_range(result, indices.sizes);
    llvm::append_range(result, rest);
    aligned.append(rest.size(), sizes.constant(1));
    Tensor wide = emitter.reshape(indices, aligned);
    Value table = emitter.value(codes.tensor), factors = emitter.value(scales),
          offsets = zeros ? emitter.value(*zeros) : Value(), size = sizes.value(shape[gatherAxis]);
    Codes zeroCodes;
    if (zeros && zeros->elementType.isUnsignedInteger(8)) // packed as the table is
      zeroCodes = {*zeros, codes.bits, codes.perByte};
    else if (zeros)
      zeroCodes.tensor = *zeros;
    Type type = scales.elementType;
    int64_t indexRank = indices.rank();
    return emitter.generate(result, type, {&wide}, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
      Scalar s{b, loc};
      Value zero = arith::ConstantIndexOp::create(b, loc, 0), one = arith::ConstantIndexOp::create(b, loc, 1);
      Value given = arith::IndexCastOp::create(b, loc, b.getIndexType(), v[0]);
      Value row = s.select(s.less(given, zero), s.add(given, size), given);
      Value isInside = arith::AndIOp::create(b, loc, s.lessEqual(zero, row), s.less(row, size));
      ValueRange loops = v.drop_front();
      SmallVector<Value> at(loops.take_front(gatherAxis));
      at.push_back(s.max(s.min(row, s.sub(size, one)), zero));
      llvm::append_range(at, loops.drop_front(gatherAxis + indexRank));
      SmallVector<Value> ofBlock = at;
      for (int64_t d = 0; d < scales.rank(); ++d)
        if (scales.isStaticSize(d, 1))
          ofBlock[d] = zero;
        else if (d == quantizeAxis)
          ofBlock[d] = arith::DivUIOp::create(b, loc, at[d], Codes::index(s, block));
      Type f32 = b.getF32Type();
      Value steps = codes.read(s, table, at);
      if (zeros)
        steps = s.sub(steps, zeroCodes.read(s, offsets, ofBlock));
      else if (middle != 0)
        steps = s.sub(steps, s.constant(f32, middle));
      Value scale = tensor::ExtractOp::create(b, loc, factors, ofBlock);
      // An index out of range gives zeros, as the operator has it.
      Value real = s.select(isInside, s.mul(steps, convert(s, scale, type, f32)), s.constant(f32, 0));
      return convert(s, real, f32, type);
    });
  }

  NodeContext &node;
  Emitter &emitter;
  Sizes &sizes;
  Codes codes;
  SizeList shape;      // of the table
  bool isReal = false; // its codes are floats
  double middle = 0;   // what stands for zero where there are no zero points
  int64_t gatherAxis = 0, quantizeAxis = 0, block = 0;
};

} // namespace

static LogicalResult lowerGatherBlockQuantized(NodeContext &node) { return BlockTable(node).run(); }

void mlir::heddle::importer::registerGatherBlockQuantized(LoweringTable &table) {
  table.add("com.microsoft.GatherBlockQuantized", 1, lowerGatherBlockQuantized);
}
