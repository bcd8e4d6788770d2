#include "compiler/Stages/Codegen/ExponentialPatterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::heddle;

namespace {

// exp(x) = 2^n * exp(r) with n = floor(x / ln 2) and r in [0, ln 2]: n runs from that of the least normal number to
// that of the largest, and one below and one above give the bits of 0 and infinity. Adding 1.5 * 2^23 + 127 rounds x /
// ln 2 and leaves n + 127, the exponent's bits, lowest.
struct ExpandExponential : OpRewritePattern<math::ExpOp> {
  ExpandExponential(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(math::ExpOp op, PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!getElementTypeOrSelf(type).isF32())
      return failure();
    Location loc = op.getLoc();
    auto splat = [&](Type like, Attribute attr) -> Value {
      auto vector = dyn_cast<VectorType>(like);
      return arith::ConstantOp::create(
          rewriter, loc, vector ? TypedAttr(DenseElementsAttr::get(vector, attr)) : cast<TypedAttr>(attr));
    };
    auto constant = [&](float value) { return splat(type, rewriter.getF32FloatAttr(value)); };
    auto fma = [&](Value a, Value b, Value c) -> Value { return math::FmaOp::create(rewriter, loc, a, b, c); };
    // Not a number stays as it is.
    auto bound = [&](Value x, float limit, arith::CmpFPredicate beyond) -> Value {
      Value bound = constant(limit);
      return arith::SelectOp::create(rewriter, loc, arith::CmpFOp::create(rewriter, loc, beyond, x, bound), bound, x);
    };
    Value x = bound(op.getOperand(), -88, arith::CmpFPredicate::OLT);
    x = bound(x, 89, arith::CmpFPredicate::OGT);
    // A little less than a half is taken off: 0 has n = 0, its result is exact.
    Value scaled = fma(x, constant(0x1.715476p0f), constant(-0x1.fffffep-2f));
    constexpr float kRound = 0x1.8p23f + 127;
    Value shifted = arith::AddFOp::create(rewriter, loc, scaled, constant(kRound));
    Value n = arith::SubFOp::create(rewriter, loc, shifted, constant(kRound));
    Value r = fma(n, constant(-0.693359375f), x); // ln 2 in two parts, the first of few bits
    r = fma(n, constant(2.12194440e-4f), r);
    constexpr float kCoefficients[] = {0.0019487710669636726f,
                                       0.007792270742356777f,
                                       0.04191499575972557f,
                                       0.16661013662815094f,
                                       0.500005841255188f,
                                       0.9999998211860657f,
                                       1};
    Value result = constant(kCoefficients[0]);
    for (float coefficient : ArrayRef(kCoefficients).drop_front())
      result = fma(result, r, constant(coefficient));
    Type integers = rewriter.getI32Type();
    if (auto vector = dyn_cast<VectorType>(type))
      integers = vector.clone(integers);
    Value bits = arith::BitcastOp::create(rewriter, loc, integers, shifted);
    bits = arith::ShLIOp::create(rewriter, loc, bits, splat(integers, rewriter.getI32IntegerAttr(23)));
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, result, arith::BitcastOp::create(rewriter, loc, type, bits));
    return success();
  }
};

} // namespace

void codegen::populateExponentialPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandExponential>(patterns.getContext());
}
