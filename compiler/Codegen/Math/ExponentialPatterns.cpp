// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Math/ExponentialPatterns.h"

#include "compiler/Codegen/Math/FloatBuilder.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::heddle;
using codegen::FloatBuilder;

namespace {

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

// The same by two factors, each a half of n, whose bits come from those of `shifted`: n + 254 is in its last places.
// The first product is exact, so one rounding is left.
Value scaleByHalves(const FloatBuilder &f, Value x, Value shifted) {
  Value bits = f.shiftLeft(f.toBits(shifted), 22), mask = f.bits(static_cast<int32_t>(0xff800000));
  Value half = f.both(bits, mask), rest = f.both(f.addBits(bits, f.bits(1 << 22)), mask);
  return f.mul(f.mul(x, f.fromBits(half)), f.fromBits(rest));
}

constexpr float kInverseLn2 = 0x1.715476p0f;

// exp(x) = 2^n * exp(r) with the nearest n and r around 0; the least and the largest n are beyond what an exponent
// holds. Adding 1.5 * 2^23 rounds x / ln 2.
Value expand(const FloatBuilder &f, Value operand, bool hasScale) {
  Value x = f.clamp(operand, -105, 89);
  Value round = f.real(0x1.8p23f + (hasScale ? 0 : 254));
  Value shifted = f.fma(x, f.real(kInverseLn2), round);
  Value n = f.sub(shifted, round);
  // ln 2 in two parts of which the first has few bits.
  Value r = f.fma(n, f.real(2.12194440e-4f), f.fma(n, f.real(-0.693359375f), x));
  Value result = f.polynomial(r, {0.00829027214298514f, 0.041898159829048924f, 0.1666763812822116f, 0.4999914783958379f,
                                  0.9999997063127072f, 1});
  return hasScale ? scale(f.b, f.loc, result, n) : scaleByHalves(f, result, shifted);
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
    rewriter.replaceOp(op, expand({rewriter, op.getLoc(), type}, op.getOperand(), scaling && isOfRegisters(type)));
    return success();
  }

  bool scaling;
};

} // namespace

void codegen::populateExponentialPatterns(RewritePatternSet &patterns, bool scaling) {
  patterns.add<ExpandExponential>(patterns.getContext(), scaling);
}
