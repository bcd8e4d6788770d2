// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Codegen/ExponentialPatterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::heddle;

namespace {

// Vectors and scalars of f32 at one place.
struct FloatBuilder {
  Value splat(Type like, Attribute attr) const {
    auto vector = dyn_cast<VectorType>(like);
    return arith::ConstantOp::create(builder, loc,
                                     vector ? TypedAttr(DenseElementsAttr::get(vector, attr)) : cast<TypedAttr>(attr));
  }
  Value constant(float value) const { return splat(type, builder.getF32FloatAttr(value)); }
  Value fma(Value a, Value b, Value c) const { return math::FmaOp::create(builder, loc, a, b, c); }
  Value polynomial(Value x, ArrayRef<float> coefficients) const {
    Value result = constant(coefficients.front());
    for (float coefficient : coefficients.drop_front())
      result = fma(result, x, constant(coefficient));
    return result;
  }

  // What is not a number stays as it is.
  Value clamp(Value x, float low, float high) const {
    auto bound = [&](float limit, arith::CmpFPredicate beyond) {
      Value bound = constant(limit);
      x = arith::SelectOp::create(builder, loc, arith::CmpFOp::create(builder, loc, beyond, x, bound), bound, x);
    };
    bound(low, arith::CmpFPredicate::OLT);
    bound(high, arith::CmpFPredicate::OGT);
    return x;
  }

  // x - n * ln 2, in two parts of which the first has few bits.
  Value reduce(Value x, Value n) const { return fma(n, constant(2.12194440e-4f), fma(n, constant(-0.693359375f), x)); }

  OpBuilder &builder;
  Location loc;
  Type type;
};

constexpr float kInverseLn2 = 0x1.715476p0f;

// exp(x) = 2^n * exp(r) with n = floor(x / ln 2) and r in [0, ln 2]: n runs from that of the least normal number to
// that of the largest, and one below and one above give the bits of 0 and infinity. Adding 1.5 * 2^23 + 127 rounds x /
// ln 2 and leaves n + 127, the exponent's bits, lowest.
Value expByExponentBits(const FloatBuilder &floats, Value operand) {
  auto [builder, loc, type] = floats;
  Value x = floats.clamp(operand, -88, 89);
  // A little less than a half is taken off: 0 has n = 0, its result is exact.
  Value scaled = floats.fma(x, floats.constant(kInverseLn2), floats.constant(-0x1.fffffep-2f));
  Value round = floats.constant(0x1.8p23f + 127);
  Value shifted = arith::AddFOp::create(builder, loc, scaled, round);
  Value n = arith::SubFOp::create(builder, loc, shifted, round);
  Value result =
      floats.polynomial(floats.reduce(x, n), {0.0019487710669636726f, 0.007792270742356777f, 0.04191499575972557f,
                                              0.16661013662815094f, 0.500005841255188f, 0.9999998211860657f, 1});
  Type integers = builder.getI32Type();
  if (auto vector = dyn_cast<VectorType>(type))
    integers = vector.clone(integers);
  Value bits = arith::BitcastOp::create(builder, loc, integers, shifted);
  bits = arith::ShLIOp::create(builder, loc, bits, floats.splat(integers, builder.getI32IntegerAttr(23)));
  return arith::MulFOp::create(builder, loc, result, arith::BitcastOp::create(builder, loc, type, bits));
}

// x * 2^n, rounded once, with what is infinite, subnormal or no number as it should be; halves of vectors that are
// longer than a register.
Value scale(OpBuilder &builder, Location loc, Value x, Value n) {
  auto type = cast<VectorType>(x.getType());
  int64_t lanes = type.getNumElements();
  auto slice = [&](Value a, Value b, int64_t first, int64_t size) -> Value {
    return vector::ShuffleOp::create(builder, loc, a, b, llvm::to_vector(llvm::seq(first, first + size)));
  };
  if (lanes > 16) {
    auto half = [&](int64_t first) {
      return scale(builder, loc, slice(x, x, first, lanes / 2), slice(n, n, first, lanes / 2));
    };
    Value low = half(0);
    return slice(low, half(lanes / 2), 0, lanes);
  }
  Type mask = builder.getIntegerType(std::max<int64_t>(lanes, 8));
  SmallVector<Value> operands{x, n, x, arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(mask, -1))};
  if (lanes == 16) // rounding as the processor is set to
    operands.push_back(arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(4)));
  std::string name = ("llvm.x86.avx512.mask.scalef.ps." + Twine(lanes * 32)).str();
  return LLVM::CallIntrinsicOp::create(builder, loc, type, builder.getStringAttr(name), operands).getResult(0);
}

// exp(x) = 2^n * exp(r) with the nearest n and r around 0, where a polynomial of one degree less is as good. The least
// and the largest n are beyond what an exponent holds, and 2^n is an instruction.
Value expByScaling(const FloatBuilder &floats, Value operand) {
  auto [builder, loc, type] = floats;
  Value x = floats.clamp(operand, -105, 89);
  Value round = floats.constant(0x1.8p23f);
  Value n = arith::SubFOp::create(builder, loc, floats.fma(x, floats.constant(kInverseLn2), round), round);
  Value result =
      floats.polynomial(floats.reduce(x, n), {0.00829027214298514f, 0.041898159829048924f, 0.1666763812822116f,
                                              0.4999914783958379f, 0.9999997063127072f, 1});
  return scale(builder, loc, result, n);
}

// Whether registers of 4, 8 or 16 elements make up the vector.
bool isOfRegisters(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && !vector.isScalable() && vector.getRank() == 1 && vector.getNumElements() >= 4 &&
         llvm::isPowerOf2_64(vector.getNumElements());
}

struct ExpandExponential : OpRewritePattern<math::ExpOp> {
  ExpandExponential(MLIRContext *context, bool scaling) : OpRewritePattern(context, /*benefit=*/2), scaling(scaling) {}

  LogicalResult matchAndRewrite(math::ExpOp op, PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!getElementTypeOrSelf(type).isF32())
      return failure();
    FloatBuilder floats{rewriter, op.getLoc(), type};
    rewriter.replaceOp(op, scaling && isOfRegisters(type) ? expByScaling(floats, op.getOperand())
                                                          : expByExponentBits(floats, op.getOperand()));
    return success();
  }

  bool scaling;
};

} // namespace

void codegen::populateExponentialPatterns(RewritePatternSet &patterns, bool scaling) {
  patterns.add<ExpandExponential>(patterns.getContext(), scaling);
}
