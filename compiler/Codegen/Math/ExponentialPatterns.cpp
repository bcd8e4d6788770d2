// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Math/ExponentialPatterns.h"

#include "compiler/Codegen/IR/KernelOps.h"
#include "compiler/Codegen/Math/FloatBuilder.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::heddle;
using codegen::FloatBuilder;

namespace {

// x * 2^n by two factors, each a half of n, whose bits come from those of `shifted`: n + 254 is in its last places.
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
  return hasScale ? kernel::ScaleOp::create(f.b, f.loc, result.getType(), result, n).getResult()
                  : scaleByHalves(f, result, shifted);
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
