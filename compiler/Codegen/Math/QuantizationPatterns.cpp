// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Math/QuantizationPatterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

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

// sitofp(ext(trunci(fptosi source)) - zero); `range`: of the bytes between.
struct Bytes {
  Value source;
  int64_t zero;
  Range range;
};

std::optional<Bytes> matchBytes(arith::SIToFPOp op) {
  constexpr int64_t kExact = 1 << 22;
  Value value = op.getIn();
  APInt zero(32, 0);
  if (auto difference = value.getDefiningOp<arith::SubIOp>();
      difference && matchPattern(difference.getRhs(), m_ConstantInt(&zero)))
    value = difference.getLhs();
  Operation *widen = value.getDefiningOp();
  if (!isa_and_nonnull<arith::ExtUIOp, arith::ExtSIOp>(widen) || !getElementTypeOrSelf(op.getType()).isF32() ||
      !getElementTypeOrSelf(value.getType()).isInteger(32) || zero.sgt(kExact) || zero.slt(-kExact))
    return std::nullopt;
  auto narrow = widen->getOperand(0).getDefiningOp<arith::TruncIOp>();
  auto convert = narrow ? narrow.getIn().getDefiningOp<arith::FPToSIOp>() : nullptr;
  if (!convert || !getElementTypeOrSelf(narrow.getType()).isInteger(8) || convert.getIn().getType() != op.getType())
    return std::nullopt;
  Range byte = isa<arith::ExtUIOp>(widen) ? Range{0, 255} : Range{-128, 127};
  return Bytes{convert.getIn(), zero.getSExtValue(), byte};
}

// clamp(round(x / scale) + zero): a step of a quantisation. Its ends are those of round(x / scale).
struct Step {
  Value x;
  float scale, zero, low, high;    // low and high: without zero
  float lowDividend, highDividend; // whose quotients round to them
};

// The constant and the value of `a < b ? a : b` (isLeast) or `b < a ? a : b`, the constant where the other is no
// number.
std::optional<std::pair<Value, float>> matchClamp(Value value, bool isLeast) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto compare = select ? select.getCondition().getDefiningOp<arith::CmpFOp>() : nullptr;
  APFloat constant(0.0f);
  if (!compare || compare.getPredicate() != arith::CmpFPredicate::OLT ||
      !getElementTypeOrSelf(value.getType()).isF32() ||
      !matchPattern(select.getFalseValue(), m_ConstantFloat(&constant)))
    return std::nullopt;
  Value inner = select.getTrueValue();
  Value less = isLeast ? inner : select.getFalseValue(), more = isLeast ? select.getFalseValue() : inner;
  if (compare.getLhs() != less || compare.getRhs() != more)
    return std::nullopt;
  return std::pair(inner, constant.convertToFloat());
}

std::optional<Step> matchStep(Value value) {
  constexpr float kMost = 0x1p100f, kExact = 0x1p21f;
  auto least = matchClamp(value, /*isLeast=*/true);
  auto most = least ? matchClamp(least->first, /*isLeast=*/false) : std::nullopt;
  if (!most)
    return std::nullopt;
  Value rounded = most->first;
  APFloat zero(0.0f), scale(0.0f);
  if (auto sum = rounded.getDefiningOp<arith::AddFOp>(); sum && matchPattern(sum.getRhs(), m_ConstantFloat(&zero)))
    rounded = sum.getLhs();
  auto round = rounded.getDefiningOp<math::RoundEvenOp>();
  auto quotient = round ? round.getOperand().getDefiningOp<arith::DivFOp>() : nullptr;
  if (!quotient || !matchPattern(quotient.getRhs(), m_ConstantFloat(&scale)))
    return std::nullopt;
  Step step{quotient.getLhs(), scale.convertToFloat(), zero.convertToFloat(), most->second, least->second, 0, 0};
  for (float known : {step.zero, step.low, step.high})
    if (!(std::fabs(known) <= kExact) || std::trunc(known) != known)
      return std::nullopt;
  step.low -= step.zero;
  step.high -= step.zero;
  step.lowDividend = step.low * step.scale;
  step.highDividend = step.high * step.scale;
  if (!(step.scale >= 1 / kMost && step.scale <= kMost) || !(step.low <= step.high) ||
      std::nearbyint(step.lowDividend / step.scale) != step.low ||
      std::nearbyint(step.highDividend / step.scale) != step.high)
    return std::nullopt;
  return step;
}

// Adding it to a small float leaves an integer in the low bits, rounded to even.
constexpr float kRounder = 0x1.8p23f;
constexpr int32_t kRounderBits = 0x4B400000;

// The step's rounded quotient plus kRounder. Clamped beforehand, no quotient is infinite, and none is no number.
Value emitStep(OpBuilder &builder, Location loc, const Step &step, bool fma) {
  Value x = step.x;
  Type type = x.getType();
  auto constant = [&](float value) { return makeConstant(builder, loc, type, APFloat(value)); };
  APFloat floor(0.0f);
  if (auto maximum = x.getDefiningOp<arith::MaximumFOp>();
      maximum && matchPattern(maximum.getRhs(), m_ConstantFloat(&floor)) && floor.convertToFloat() <= step.lowDividend)
    x = maximum.getLhs();
  auto choose = [&](Value a, Value b, Value kept, Value other) -> Value {
    Value less = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, a, b);
    return arith::SelectOp::create(builder, loc, less, kept, other);
  };
  Value low = constant(step.lowDividend), high = constant(step.highDividend);
  x = choose(low, x, x, low);
  x = choose(x, high, x, high);
  Value quotient;
  if (!fma || APFloat(step.scale).getExactInverse(nullptr)) {
    quotient = arith::DivFOp::create(builder, loc, x, constant(step.scale));
  } else {
    Value reciprocal = constant(1 / step.scale);
    Value first = arith::MulFOp::create(builder, loc, x, reciprocal);
    Value remainder = math::FmaOp::create(builder, loc, first, constant(-step.scale), x);
    quotient = math::FmaOp::create(builder, loc, remainder, reciprocal, first);
  }
  return arith::AddFOp::create(builder, loc, quotient, constant(kRounder));
}

// sitofp(ext(trunci(fptosi step)) - zero), which is 0 where the quotient is -0.
struct StepToFloat : OpRewritePattern<arith::SIToFPOp> {
  StepToFloat(MLIRContext *context, bool fma) : OpRewritePattern(context), fma(fma) {}

  LogicalResult matchAndRewrite(arith::SIToFPOp op, PatternRewriter &rewriter) const override {
    std::optional<Bytes> bytes = matchBytes(op);
    std::optional<Step> step = bytes ? matchStep(bytes->source) : std::nullopt;
    if (!step || step->low + step->zero < bytes->range.low || step->high + step->zero > bytes->range.high)
      return failure();
    Location loc = op.getLoc();
    auto constant = [&](float value) { return makeConstant(rewriter, loc, op.getType(), APFloat(value)); };
    Value result = arith::SubFOp::create(rewriter, loc, emitStep(rewriter, loc, *step, fma), constant(kRounder));
    if (float shift = step->zero - static_cast<float>(bytes->zero); shift != 0)
      result = arith::AddFOp::create(rewriter, loc, result, constant(shift));
    rewriter.replaceOp(op, result);
    return success();
  }

  bool fma;
};

// fptosi(step).
struct StepToInteger : OpRewritePattern<arith::FPToSIOp> {
  StepToInteger(MLIRContext *context, bool fma) : OpRewritePattern(context), fma(fma) {}

  LogicalResult matchAndRewrite(arith::FPToSIOp op, PatternRewriter &rewriter) const override {
    std::optional<Step> step = matchStep(op.getIn());
    if (!step || !getElementTypeOrSelf(op.getType()).isInteger(32))
      return failure();
    Location loc = op.getLoc();
    TypedAttr shift = rewriter.getI32IntegerAttr(static_cast<int32_t>(step->zero) - kRounderBits);
    if (auto vector = dyn_cast<VectorType>(op.getType()))
      shift = DenseElementsAttr::get(vector, static_cast<Attribute>(shift));
    Value bits = arith::BitcastOp::create(rewriter, loc, op.getType(), emitStep(rewriter, loc, *step, fma));
    rewriter.replaceOpWithNewOp<arith::AddIOp>(op, bits, arith::ConstantOp::create(rewriter, loc, shift));
    return success();
  }

  bool fma;
};

// sitofp(ext(trunci(fptosi x)) - zero) = x - zero.
struct StayFloat : OpRewritePattern<arith::SIToFPOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SIToFPOp op, PatternRewriter &rewriter) const override {
    std::optional<Bytes> bytes = matchBytes(op);
    std::optional<Range> range = bytes ? integralRange(bytes->source) : std::nullopt;
    if (!range || range->low < bytes->range.low || range->high > bytes->range.high)
      return failure();
    // Minus zero becomes zero, also here.
    Value shift = makeConstant(rewriter, op.getLoc(), op.getType(), APFloat(static_cast<float>(-bytes->zero)));
    rewriter.replaceOpWithNewOp<arith::AddFOp>(op, bytes->source, shift);
    return success();
  }
};

} // namespace

void mlir::heddle::codegen::populateQuotientPatterns(RewritePatternSet &patterns) {
  patterns.add<DivideByConstant>(patterns.getContext());
}

void mlir::heddle::codegen::rewriteQuantizationSteps(Operation *op, bool fma) {
  // Floats first: the integers between are then read by nobody.
  RewritePatternSet floats(op->getContext()), integers(op->getContext());
  floats.add<StepToFloat>(op->getContext(), fma);
  walkAndApplyPatterns(op, std::move(floats));
  integers.add<StepToInteger>(op->getContext(), fma);
  walkAndApplyPatterns(op, std::move(integers));
}

void mlir::heddle::codegen::populateRequantizationPatterns(RewritePatternSet &patterns) {
  patterns.add<StayFloat>(patterns.getContext());
}
