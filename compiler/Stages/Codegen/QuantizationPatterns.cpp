#include "compiler/Stages/Codegen/QuantizationPatterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::heddle;

namespace {

Value makeConstant(OpBuilder &builder, Location loc, Type type, const APFloat &value) {
  TypedAttr attr = builder.getFloatAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, static_cast<Attribute>(attr));
  return arith::ConstantOp::create(builder, loc, attr);
}

struct DivideByConstant : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::DivFOp quotient, PatternRewriter &rewriter) const override {
    APFloat divisor(0.0f);
    if (!getElementTypeOrSelf(quotient.getType()).isF32() ||
        !matchPattern(quotient.getRhs(), m_ConstantFloat(&divisor)))
      return failure();
    float scale = divisor.convertToFloat();
    // Rounded, it does not matter that tiny quotients lose bits.
    bool rounded = llvm::all_of(quotient->getUsers(), llvm::IsaPred<math::RoundEvenOp>);
    float most = rounded ? 0x1p100f : 0x1p20f;
    if (!(std::fabs(scale) <= most && std::fabs(scale) >= 1 / most) || divisor.getExactInverse(nullptr))
      return failure();
    Location loc = quotient.getLoc();
    Type type = quotient.getType();
    Value x = quotient.getLhs(), reciprocal = makeConstant(rewriter, loc, type, APFloat(1 / scale));
    Value minusScale = makeConstant(rewriter, loc, type, APFloat(-scale));
    Value first = arith::MulFOp::create(rewriter, loc, x, reciprocal);
    Value remainder = math::FmaOp::create(rewriter, loc, first, minusScale, x);
    Value corrected = math::FmaOp::create(rewriter, loc, remainder, reciprocal, first);
    // Of infinities, of what is no number, and where the product overflows the correction is no number.
    Value finite = arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::ORD, corrected, corrected);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(quotient, finite, corrected, first);
    return success();
  }
};

// Of integral floats.
struct Range {
  double low, high;
};

std::optional<Range> integralRange(Value value, int depth = 0) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  APFloat constant(0.0f);
  if (depth > 8 || !getElementTypeOrSelf(value.getType()).isF32())
    return std::nullopt;
  if (matchPattern(value, m_ConstantFloat(&constant))) {
    double known = constant.convertToFloat();
    return std::trunc(known) == known ? std::optional(Range{known, known}) : std::nullopt;
  }
  if (value.getDefiningOp<math::RoundEvenOp>())
    return Range{-kInfinity, kInfinity};
  if (auto sum = value.getDefiningOp<arith::AddFOp>()) {
    auto a = integralRange(sum.getLhs(), depth + 1), b = integralRange(sum.getRhs(), depth + 1);
    return a && b ? std::optional(Range{a->low + b->low, a->high + b->high}) : std::nullopt;
  }
  // a < b ? a : b and a < b ? b : a; the constant where the other is no number.
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto compare = select ? select.getCondition().getDefiningOp<arith::CmpFOp>() : nullptr;
  if (!compare || compare.getPredicate() != arith::CmpFPredicate::OLT ||
      !matchPattern(select.getFalseValue(), m_ConstantFloat(&constant)))
    return std::nullopt;
  auto a = integralRange(compare.getLhs(), depth + 1), b = integralRange(compare.getRhs(), depth + 1);
  if (!a || !b)
    return std::nullopt;
  if (select.getTrueValue() == compare.getLhs() && select.getFalseValue() == compare.getRhs())
    return Range{std::min(a->low, b->low), std::min(a->high, b->high)};
  if (select.getTrueValue() == compare.getRhs() && select.getFalseValue() == compare.getLhs())
    return Range{std::max(a->low, b->low), std::max(a->high, b->high)};
  return std::nullopt;
}

// sitofp(ext(trunci(fptosi x)) - zero) = x - zero.
struct StayFloat : OpRewritePattern<arith::SIToFPOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SIToFPOp op, PatternRewriter &rewriter) const override {
    Value value = op.getIn();
    APInt zero(32, 0);
    if (auto difference = value.getDefiningOp<arith::SubIOp>();
        difference && matchPattern(difference.getRhs(), m_ConstantInt(&zero)))
      value = difference.getLhs();
    Operation *widen = value.getDefiningOp();
    if (!isa_and_nonnull<arith::ExtUIOp, arith::ExtSIOp>(widen) || !getElementTypeOrSelf(op.getType()).isF32() ||
        !getElementTypeOrSelf(value.getType()).isInteger(32))
      return failure();
    auto narrow = widen->getOperand(0).getDefiningOp<arith::TruncIOp>();
    auto convert = narrow ? narrow.getIn().getDefiningOp<arith::FPToSIOp>() : nullptr;
    if (!convert || !getElementTypeOrSelf(narrow.getType()).isInteger(8) || convert.getIn().getType() != op.getType())
      return failure();
    std::optional<Range> range = integralRange(convert.getIn());
    Range byte = isa<arith::ExtUIOp>(widen) ? Range{0, 255} : Range{-128, 127};
    constexpr int64_t kExact = 1 << 22;
    if (!range || range->low < byte.low || range->high > byte.high || zero.sgt(kExact) || zero.slt(-kExact))
      return failure();
    // Minus zero becomes zero, also here.
    Value shift = makeConstant(rewriter, op.getLoc(), op.getType(), APFloat(static_cast<float>(-zero.getSExtValue())));
    rewriter.replaceOpWithNewOp<arith::AddFOp>(op, convert.getIn(), shift);
    return success();
  }
};

} // namespace

void mlir::heddle::codegen::populateQuotientPatterns(RewritePatternSet &patterns) {
  patterns.add<DivideByConstant>(patterns.getContext());
}

void mlir::heddle::codegen::populateRequantizationPatterns(RewritePatternSet &patterns) {
  patterns.add<StayFloat>(patterns.getContext());
}
