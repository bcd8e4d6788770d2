// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Intent/Transforms/Passes.h"
#include "compiler/Dialect/Intent/Transforms/RoundedRows.h"
#include "compiler/Stages/Import/Emit/SmallFloats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::heddle;
using importer::Scalar;

namespace mlir::heddle {
#define GEN_PASS_DEF_DECOMPOSEPRODUCTS
#include "compiler/Dialect/Intent/Transforms/Passes.h.inc"
} // namespace mlir::heddle

namespace {

// The loops of a product: rows, columns; blocks, if there are any; bytes of a column.
struct Loops {
  MLIRContext *context;
  bool blocked;

  int64_t count() const { return blocked ? 4 : 3; }
  AffineExpr operator[](int64_t i) const { return getAffineDimExpr(i, context); }
  AffineExpr byte() const { return (*this)[count() - 1]; }
  AffineMap map(ArrayRef<AffineExpr> exprs) const { return AffineMap::get(count(), 0, exprs, context); }

  AffineMap codes() const { return blocked ? map({(*this)[2], byte(), (*this)[1]}) : map({byte(), (*this)[1]}); }
  AffineMap sums() const { return map({(*this)[0], (*this)[1]}); }
  // Of rank 2: for each column of a block; 1: for each column; 0: for all.
  AffineMap factors(int64_t rank) const {
    SmallVector<AffineExpr> exprs{(*this)[2 % count()], (*this)[1]};
    return map(ArrayRef(exprs).take_back(rank));
  }
  AffineMap rows(int64_t block, int64_t perByte, int64_t element) const {
    AffineExpr at = byte() * perByte + element;
    return map({(*this)[0], blocked ? (*this)[2] * block + at : at});
  }
};

class Decomposition {
public:
  explicit Decomposition(intent::QuantizedProductOp op)
      : op(op), builder(op), location(op.getLoc()), code(op.getCode()), f32(builder.getF32Type()),
        perByte(op.getCodesPerByte()), block(op.getBlock()), loops{op.getContext(), block > 0} {}

  void run() {
    Value result = op.getRounded() ? sumRounded() : sum();
    if (!loops.blocked)
      result = scale(result);
    op.replaceAllUsesWith(result);
    op.erase();
  }

private:
  static int64_t rankOf(Value tensor) { return cast<RankedTensorType>(tensor.getType()).getRank(); }

  template <typename OpT> OpT withAttributes(OpT made) {
    made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    return made;
  }

  Value empty() {
    SmallVector<OpFoldResult> sizes{tensor::getMixedSize(builder, location, op.getRows(), 0),
                                    builder.getIndexAttr(op.getColumns())};
    return withAttributes(tensor::EmptyOp::create(builder, location, sizes, f32));
  }

  // What the sums read, in the order of the body's arguments.
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  void read(Value tensor, AffineMap map) {
    operands.push_back(tensor);
    maps.push_back(map);
  }

  // Of all products, times the blocks' scales.
  Value sum() {
    for (int64_t i = 0; i < perByte; ++i)
      read(op.getRows(), loops.rows(block, perByte, i));
    read(op.getCodes(), loops.codes());
    if (loops.blocked && !splatOf(op.getScales()))
      read(op.getScales(), loops.factors(2));
    if (op.getZeros() && !splatOf(op.getZeros()))
      read(op.getZeros(), loops.factors(rankOf(op.getZeros())));
    return makeSums([&](Scalar s, ValueRange v) { return addProducts(s, v); });
  }

  // The same of rounded rows: their codes and scales in place of the rows.
  Value sumRounded() {
    std::optional<double> zero = op.getZeros() ? std::nullopt : std::optional(0.0);
    if (op.getZeros() && splatOf(op.getZeros()))
      zero = numberOf(op.getZeros(), zeroType());
    intent::RoundedRows rounded = intent::roundRows(builder, op, /*wantsSums=*/zero != 0.0);
    AffineMap ofBlock = loops.map({loops[0], loops[2]});
    for (int64_t i = 0; i < perByte; ++i) {
      SmallVector<AffineExpr> at{loops[0], loops[2], loops.byte()};
      if (perByte > 1)
        at.insert(at.begin() + 2, getAffineConstantExpr(i, op.getContext()));
      read(rounded.codes, loops.map(at));
    }
    read(rounded.scales, ofBlock);
    if (rounded.sums)
      read(rounded.sums, ofBlock);
    read(op.getCodes(), loops.codes());
    read(op.getScales(), loops.factors(2));
    if (!zero)
      read(op.getZeros(), loops.factors(rankOf(op.getZeros())));
    Value sums = makeSums([&](Scalar s, ValueRange v) { return addRounded(s, v, zero); });
    NamedAttribute known[] = {builder.getNamedAttr("block", builder.getI64IntegerAttr(block)),
                              builder.getNamedAttr("zero", builder.getF64FloatAttr(zero.value_or(0)))};
    sums.getDefiningOp()->setAttr(intent::kRoundedAttr, builder.getDictionaryAttr(known));
    return sums;
  }

  Value makeSums(function_ref<Value(Scalar, ValueRange)> element) {
    maps.push_back(loops.sums());
    SmallVector<utils::IteratorType> iterators(loops.count(), utils::IteratorType::reduction);
    std::fill_n(iterators.begin(), 2, utils::IteratorType::parallel);
    Value zero = arith::ConstantOp::create(builder, location, builder.getF32FloatAttr(0));
    Value init = withAttributes(linalg::FillOp::create(builder, location, zero, empty())).getResult(0);
    auto sums = withAttributes(linalg::GenericOp::create(
        builder, location, init.getType(), operands, init, maps, iterators,
        [&](OpBuilder &b, Location at, ValueRange v) { linalg::YieldOp::create(b, at, element({b, at}, v)); }));
    sums->setAttr(intent::kCodeAttr, TypeAttr::get(code));
    return sums.getResult(0);
  }

  // The sum with what a byte adds to it; `v` are the operands' elements.
  Value addProducts(Scalar s, ValueRange v) {
    size_t next = perByte;
    SmallVector<Value> steps = decodeByte(s, v[next++]);
    Value factor;
    if (loops.blocked)
      factor = splatOf(op.getScales()) ? constantOf(s, op.getScales(), {}) : toFloat(s, v[next++]);
    Value zero = !op.getZeros() || splatOf(op.getZeros()) ? constantZero(s) : decodeZero(s, v[next]);
    Value product, sum = v.back();
    for (auto [i, step] : llvm::enumerate(steps)) {
      Value term = s.mul(v[i], zero ? s.sub(step, zero) : step);
      if (loops.blocked)
        product = product ? s.add(product, term) : term;
      else
        sum = s.add(sum, term);
    }
    return loops.blocked ? s.add(sum, s.mul(product, factor)) : sum;
  }

  // The sum with a byte's products of codes, which are exact in f32, less a byte's share of what the zero adds to the
  // block's sum, times both scales.
  Value addRounded(Scalar s, ValueRange v, std::optional<double> zero) {
    Type i32 = s.b.getI32Type();
    size_t next = perByte;
    Value rowScale = v[next++], rowSum = zero != 0.0 ? v[next++] : Value(), byte = v[next++], product;
    for (auto [i, step] : llvm::enumerate(splitByte(s, byte))) {
      Value row = arith::ExtSIOp::create(s.b, s.loc, i32, v[i]), term = s.mul(row, step);
      product = product ? s.add(product, term) : term;
    }
    product = arith::SIToFPOp::create(s.b, s.loc, f32, product);
    Value scale = s.mul(toFloat(s, v[next++]), rowScale);
    if (rowSum) {
      Value share = s.mul(arith::SIToFPOp::create(s.b, s.loc, f32, rowSum),
                          s.constant(f32, static_cast<double>(perByte) / static_cast<double>(block)));
      product = s.sub(product, s.mul(share, zero ? s.constant(f32, *zero) : decodeZero(s, v[next])));
    }
    return s.add(v.back(), s.mul(product, scale));
  }

  bool isNibble() const { return code.getIntOrFloatBitWidth() < 8; }

  // A byte's codes as f32, in the order of their rows.
  SmallVector<Value> decodeByte(Scalar s, Value byte) const {
    if (!isNibble())
      return {convert(s, byte, code, f32)};
    Type i8 = s.b.getI8Type();
    return llvm::map_to_vector(splitByte(s, byte), [&](Value element) -> Value {
      if (auto type = dyn_cast<FloatType>(code))
        return importer::decode(s, arith::TruncIOp::create(s.b, s.loc, i8, element), type);
      return arith::SIToFPOp::create(s.b, s.loc, f32, element);
    });
  }

  // Its codes as they are, in 32 bits.
  SmallVector<Value> splitByte(Scalar s, Value byte) const {
    Type i32 = s.b.getI32Type();
    Value word = arith::ExtUIOp::create(s.b, s.loc, i32, byte);
    if (perByte == 1)
      return {word};
    return {arith::AndIOp::create(s.b, s.loc, word, s.constant(i32, 15)),
            arith::ShRUIOp::create(s.b, s.loc, word, s.constant(i32, 4))};
  }

  Value toFloat(Scalar s, Value value) const {
    return value.getType() == f32 ? value : Value(arith::ExtFOp::create(s.b, s.loc, f32, value));
  }

  Value decodeZero(Scalar s, Value zero) const {
    return isa<FloatType>(zero.getType()) ? zero : convert(s, zero, zeroType(), f32);
  }
  // Of nibbles zeros have all of a byte.
  Type zeroType() const { return isNibble() ? builder.getIntegerType(8, /*isSigned=*/false) : code; }

  // The element of a constant whose elements are all alike.
  static std::optional<Attribute> splatOf(Value tensor) {
    SplatElementsAttr splat;
    return matchPattern(tensor, m_Constant(&splat)) ? std::optional(splat.getSplatValue<Attribute>()) : std::nullopt;
  }
  // The same as f32, where it is an integer one of `type`.
  Value constantOf(Scalar s, Value tensor, Type type) const { return s.constant(f32, numberOf(tensor, type)); }
  static double numberOf(Value tensor, Type type) {
    Attribute element = *splatOf(tensor);
    if (auto real = dyn_cast<FloatAttr>(element))
      return real.getValueAsDouble();
    APInt value = cast<IntegerAttr>(element).getValue();
    return type.isUnsignedInteger() ? static_cast<double>(value.getZExtValue())
                                    : static_cast<double>(value.getSExtValue());
  }
  // The zero of all codes; null where there is none, or it is 0.
  Value constantZero(Scalar s) const {
    Value zero = op.getZeros() ? constantOf(s, op.getZeros(), zeroType()) : Value();
    return zero && !matchPattern(zero, m_AnyZeroFloat()) ? zero : Value();
  }

  // Sums times what a column has as a whole.
  Value scale(Value sums) {
    AffineMap all = builder.getMultiDimIdentityMap(2),
              ofScale = AffineMap::get(2, 0, all.getResults().take_back(rankOf(op.getScales())), op.getContext());
    SmallVector<utils::IteratorType> parallel(2, utils::IteratorType::parallel);
    return withAttributes(linalg::GenericOp::create(builder, location, sums.getType(), ValueRange{sums, op.getScales()},
                                                    empty(), {all, ofScale, all}, parallel,
                                                    [&](OpBuilder &b, Location at, ValueRange v) {
                                                      Scalar s{b, at};
                                                      Value product = s.mul(v[0], toFloat(s, v[1]));
                                                      linalg::YieldOp::create(b, at, product);
                                                    }))
        .getResult(0);
  }

  mutable intent::QuantizedProductOp op;
  mutable OpBuilder builder;
  Location location;
  Type code, f32;
  int64_t perByte, block;
  Loops loops;
};

struct DecomposeProducts : mlir::heddle::impl::DecomposeProductsBase<DecomposeProducts> {
  void runOnOperation() override { intent::decompose(getOperation()); }
};

} // namespace

void intent::decompose(ModuleOp module) {
  SmallVector<QuantizedProductOp> found;
  module.walk([&](QuantizedProductOp op) { found.push_back(op); });
  for (QuantizedProductOp op : found)
    Decomposition(op).run();
}
