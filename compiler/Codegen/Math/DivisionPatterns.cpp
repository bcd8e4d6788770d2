// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Math/DivisionPatterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::heddle;

// By constants LLVM multiplies.
static bool dividesByVector(Operation *op) {
  auto type = dyn_cast<VectorType>(op->getResult(0).getType());
  return type && type.getElementType().isIntOrIndex() && !matchPattern(op->getOperand(1), m_Constant());
}

static bool isExpanded(Operation *op) {
  auto type = dyn_cast<VectorType>(op->getResult(0).getType());
  return dividesByVector(op) && type.getElementType().isInteger() && type.getElementTypeBitWidth() <= 32;
}

template <typename ToFloat, typename FromFloat>
static Value divide(OpBuilder &builder, Location loc, Value dividend, Value divisor) {
  auto type = cast<VectorType>(dividend.getType());
  Type real = type.getElementTypeBitWidth() <= 16 ? Type(builder.getF32Type()) : Type(builder.getF64Type());
  auto toReal = [&](Value value) -> Value { return ToFloat::create(builder, loc, type.clone(real), value); };
  return FromFloat::create(builder, loc, type, arith::DivFOp::create(builder, loc, toReal(dividend), toReal(divisor)));
}

namespace {

template <typename Op, typename ToFloat, typename FromFloat> struct ExpandQuotient : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!isExpanded(op))
      return failure();
    rewriter.replaceOp(op, divide<ToFloat, FromFloat>(rewriter, op.getLoc(), op.getLhs(), op.getRhs()));
    return success();
  }
};

template <typename Op, typename ToFloat, typename FromFloat> struct ExpandRest : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!isExpanded(op))
      return failure();
    Value quotient = divide<ToFloat, FromFloat>(rewriter, op.getLoc(), op.getLhs(), op.getRhs());
    Value whole = arith::MulIOp::create(rewriter, op.getLoc(), quotient, op.getRhs());
    rewriter.replaceOpWithNewOp<arith::SubIOp>(op, op.getLhs(), whole);
    return success();
  }
};

} // namespace

void codegen::guardDivisors(Operation *op) {
  op->walk([](Operation *division) {
    if (!isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(division) || !dividesByVector(division) ||
        isExpanded(division))
      return;
    OpBuilder builder(division);
    Location loc = division->getLoc();
    Value divisor = division->getOperand(1);
    auto type = cast<VectorType>(divisor.getType());
    auto constant = [&](int64_t value) -> Value {
      Attribute element = builder.getIntegerAttr(type.getElementType(), value);
      return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, element));
    };
    Value isZero = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, divisor, constant(0));
    division->setOperand(1, arith::SelectOp::create(builder, loc, isZero, constant(1), divisor));
  });
}

void codegen::populateDivisionPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandQuotient<arith::DivSIOp, arith::SIToFPOp, arith::FPToSIOp>,
               ExpandQuotient<arith::DivUIOp, arith::UIToFPOp, arith::FPToUIOp>,
               ExpandRest<arith::RemSIOp, arith::SIToFPOp, arith::FPToSIOp>,
               ExpandRest<arith::RemUIOp, arith::UIToFPOp, arith::FPToUIOp>>(patterns.getContext());
}
