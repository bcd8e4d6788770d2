// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Math/SinglePatterns.h"

#include "compiler/Codegen/Math/FloatBuilder.h"

#include <limits>
#include <numbers>

using namespace mlir;
using namespace mlir::heddle;
using codegen::FloatBuilder;
using Predicate = arith::CmpFPredicate;

// Higher than that of upstream's patterns.
static constexpr unsigned kBenefit = 2;

//===--- Logarithms ----------------------------------------------------------------------------------------------===//

namespace {

// x = m 2^e with m from sqrt(1/2) to sqrt(2).
struct Mantissa {
  Value m, e;
};

} // namespace

// Of a positive finite x. The bits of a subnormal one, as an integer, are x 2^149.
static Mantissa splitMantissa(const FloatBuilder &f, Value x) {
  constexpr int32_t kLeastNormal = 0x00800000, kRootOfHalf = 0x3f3504f3;
  Value bits = f.toBits(x);
  Value isSubnormal = arith::CmpIOp::create(f.b, f.loc, arith::CmpIPredicate::slt, bits, f.bits(kLeastNormal));
  bits = f.select(isSubnormal, f.toBits(f.toReal(bits)), bits);
  Value above = f.subBits(bits, f.bits(kRootOfHalf));
  Value e = f.toReal(f.shiftRightSigned(above, 23));
  Value m = f.fromBits(f.addBits(f.both(above, f.bits(kLeastNormal - 1)), f.bits(kRootOfHalf)));
  return {m, f.sub(e, f.select(isSubnormal, f.real(149), f.real(0)))};
}

// log(m), by the Cephes library's polynomial in three parts that do not wait for one another.
static Value logOfMantissa(const FloatBuilder &f, Value m) {
  Value x = f.sub(m, f.real(1)), square = f.mul(x, x), cube = f.mul(square, x);
  Value high = f.polynomial(x, {7.0376836292e-2f, -1.1514610310e-1f, 1.1676998740e-1f});
  Value middle = f.polynomial(x, {-1.2420140846e-1f, 1.4249322787e-1f, -1.6668057665e-1f});
  Value low = f.polynomial(x, {2.0000714765e-1f, -2.4999993993e-1f, 3.3333331174e-1f});
  Value tail = f.mul(f.fma(f.fma(high, cube, middle), cube, low), cube);
  return f.add(x, f.fma(f.real(-0.5f), square, tail));
}

// What a logarithm is where x is no positive finite number: decided by its bits, which also a device that takes
// subnormal numbers as 0 tells apart.
static Value finishLog(const FloatBuilder &f, Value x, Value result) {
  constexpr int32_t kInfinityBits = 0x7f800000;
  Value bits = f.toBits(x), zero = f.bits(0);
  auto select = [&](arith::CmpIPredicate predicate, Value value, Value limit, Value chosen) {
    result = f.select(arith::CmpIOp::create(f.b, f.loc, predicate, value, limit), chosen, result);
  };
  select(arith::CmpIPredicate::sge, bits, f.bits(kInfinityBits), x); // or NaN
  select(arith::CmpIPredicate::slt, bits, zero, f.real(std::numeric_limits<float>::quiet_NaN()));
  select(arith::CmpIPredicate::eq, f.addBits(bits, bits), zero, f.real(-std::numeric_limits<float>::infinity()));
  return result;
}

static Value log(const FloatBuilder &f, Value x) {
  Mantissa parts = splitMantissa(f, x);
  return finishLog(f, x, f.fma(parts.e, f.real(std::numbers::ln2_v<float>), logOfMantissa(f, parts.m)));
}

static Value log2(const FloatBuilder &f, Value x) {
  Mantissa parts = splitMantissa(f, x);
  Value product = f.mul(logOfMantissa(f, parts.m), f.real(std::numbers::log2e_v<float>));
  return finishLog(f, x, f.add(product, parts.e));
}

//===--- Hyperbolic tangent --------------------------------------------------------------------------------------===//

// The Eigen library's quotient of polynomials up to 7.9, from where on both are equal to the bit if no product is fused
// with a sum: 4.6 ulp above the exact one there. Where they may be, or x / x be less than 1, 1 is chosen from 9 on.
static Value tanh(const FloatBuilder &f, Value operand, bool mayFuse) {
  Value magnitude = math::AbsFOp::create(f.b, f.loc, operand);
  Value x = f.clamp(operand, -7.90531110763549805f, 7.90531110763549805f), square = f.mul(x, x);
  Value above = f.polynomial(square, {-2.76076847742355e-16f, 2.00018790482477e-13f, -8.60467152213735e-11f,
                                      5.12229709037114e-08f, 1.48572235717979e-05f, 6.37261928875436e-04f,
                                      4.89352455891786e-03f});
  Value below = f.polynomial(
      square, {1.19825839466702e-06f, 1.18534705686654e-04f, 2.26843463243900e-03f, 4.89352518554385e-03f});
  Value result = f.div(f.mul(x, above), below);
  if (mayFuse) {
    Value one = math::CopySignOp::create(f.b, f.loc, f.real(1), operand);
    result = f.select(f.compare(Predicate::OGE, magnitude, f.real(9.01f)), one, result);
  }
  return f.select(f.compare(Predicate::OLT, magnitude, f.real(0.0004f)), operand, result);
}

//===--- Patterns ------------------------------------------------------------------------------------------------===//

namespace {

template <typename Op, Value (*function)(const FloatBuilder &, Value)> struct ExpandSingle : OpRewritePattern<Op> {
  explicit ExpandSingle(MLIRContext *context) : OpRewritePattern<Op>(context, kBenefit) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    rewriter.replaceOp(op, function({rewriter, op.getLoc(), op.getType()}, op.getOperand()));
    return success();
  }
};

struct ExpandTanh : OpRewritePattern<math::TanhOp> {
  ExpandTanh(MLIRContext *context, bool mayFuse) : OpRewritePattern(context, kBenefit), mayFuse(mayFuse) {}

  LogicalResult matchAndRewrite(math::TanhOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    rewriter.replaceOp(op, tanh({rewriter, op.getLoc(), op.getType()}, op.getOperand(), mayFuse));
    return success();
  }

  bool mayFuse;
};

} // namespace

void codegen::populateSinglePatterns(RewritePatternSet &patterns, bool hasFma, bool mayFuse) {
  patterns.add<ExpandSingle<math::LogOp, log>, ExpandSingle<math::Log2Op, log2>>(patterns.getContext());
  if (!hasFma)
    patterns.add<ExpandTanh>(patterns.getContext(), mayFuse);
}
