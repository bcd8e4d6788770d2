// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Math/RoundingPatterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::heddle;

namespace {

// What the five have in common: values so large that they are integral, and the sign of zero.
struct Rounding {
  Rounding(OpBuilder &builder, Location loc, Value x) : builder(builder), loc(loc), x(x), type(x.getType()) {
    bool isDouble = getElementTypeOrSelf(type).isF64();
    integral = isDouble ? 4503599627370496.0 : 8388608.0; // 2^52, 2^23
    Type integer = isDouble ? builder.getI64Type() : builder.getI32Type();
    if (auto vector = dyn_cast<VectorType>(type))
      integer = vector.clone(integer);
    Value truncated = arith::FPToSIOp::create(builder, loc, integer, x);
    towardZero = arith::SIToFPOp::create(builder, loc, type, truncated);
  }

  Value constant(double value) {
    TypedAttr attr = builder.getFloatAttr(getElementTypeOrSelf(type), value);
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, Attribute(attr));
    return arith::ConstantOp::create(builder, loc, attr);
  }
  Value choose(arith::CmpFPredicate predicate, Value a, Value b, Value yes, Value no) {
    Value condition = arith::CmpFOp::create(builder, loc, predicate, a, b);
    return arith::SelectOp::create(builder, loc, condition, yes, no);
  }
  Value add(Value a, Value b) { return arith::AddFOp::create(builder, loc, a, b); }
  Value sub(Value a, Value b) { return arith::SubFOp::create(builder, loc, a, b); }
  Value withSignOfX(Value value) { return math::CopySignOp::create(builder, loc, value, x); }
  Value abs(Value value) { return math::AbsFOp::create(builder, loc, value); }

  // `rounded` where x is small enough to have a fraction; x itself where it is not, or no number.
  Value finish(Value rounded) {
    return choose(arith::CmpFPredicate::UGE, abs(x), constant(integral), x, withSignOfX(rounded));
  }

  OpBuilder &builder;
  Location loc;
  Value x;
  Type type;
  Value towardZero;
  double integral;
};

Value round(Rounding &r, math::TruncOp) { return r.towardZero; }
Value round(Rounding &r, math::FloorOp) {
  return r.choose(arith::CmpFPredicate::OGT, r.towardZero, r.x, r.sub(r.towardZero, r.constant(1)), r.towardZero);
}
Value round(Rounding &r, math::CeilOp) {
  return r.choose(arith::CmpFPredicate::OLT, r.towardZero, r.x, r.add(r.towardZero, r.constant(1)), r.towardZero);
}
Value round(Rounding &r, math::RoundOp) {
  Value away = r.add(r.towardZero, r.withSignOfX(r.constant(1)));
  return r.choose(arith::CmpFPredicate::OGE, r.abs(r.sub(r.x, r.towardZero)), r.constant(0.5), away, r.towardZero);
}
Value round(Rounding &r, math::RoundEvenOp) {
  // The addition rounds as the result must.
  Value large = r.withSignOfX(r.constant(r.integral));
  return r.sub(r.add(r.x, large), large);
}

template <typename Op> struct ExpandRounding : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (!element.isF32() && !element.isF64())
      return failure();
    Rounding rounding(rewriter, op.getLoc(), op.getOperand());
    rewriter.replaceOp(op, rounding.finish(round(rounding, op)));
    return success();
  }
};

} // namespace

void codegen::populateRoundingPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandRounding<math::TruncOp>, ExpandRounding<math::FloorOp>, ExpandRounding<math::CeilOp>,
               ExpandRounding<math::RoundOp>, ExpandRounding<math::RoundEvenOp>>(patterns.getContext());
}
