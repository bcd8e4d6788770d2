// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Math/NarrowingPatterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::heddle;

namespace {

// Arithmetic on the bits of a scalar or of a vector's lanes.
struct Bits {
  Bits(PatternRewriter &builder, Location loc, Type like) : builder(builder), loc(loc), like(like) {}

  Type typeOf(Type element) {
    auto vector = dyn_cast<VectorType>(like);
    return vector ? Type(vector.clone(element)) : element;
  }
  Value constant(uint32_t bits) { return splat(builder.getI32IntegerAttr(static_cast<int32_t>(bits))); }
  Value real(float value) { return splat(builder.getF32FloatAttr(value)); }
  Value asInteger(Value f32) { return arith::BitcastOp::create(builder, loc, typeOf(builder.getI32Type()), f32); }
  Value asReal(Value bits) { return arith::BitcastOp::create(builder, loc, typeOf(builder.getF32Type()), bits); }
  Value add(Value x, Value y) { return arith::AddIOp::create(builder, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(builder, loc, x, y); }
  Value both(Value x, Value y) { return arith::AndIOp::create(builder, loc, x, y); }
  Value either(Value x, Value y) { return arith::OrIOp::create(builder, loc, x, y); }
  Value right(Value x, uint32_t by) { return arith::ShRUIOp::create(builder, loc, x, constant(by)); }
  Value left(Value x, uint32_t by) { return arith::ShLIOp::create(builder, loc, x, constant(by)); }
  Value below(Value x, uint32_t limit) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, x, constant(limit));
  }
  Value select(Value condition, Value x, Value y) { return arith::SelectOp::create(builder, loc, condition, x, y); }

  PatternRewriter &builder;
  Location loc;
  Type like;

private:
  Value splat(TypedAttr value) {
    if (auto vector = dyn_cast<VectorType>(like))
      value = DenseElementsAttr::get(vector.clone(value.getType()), Attribute(value));
    return arith::ConstantOp::create(builder, loc, value);
  }
};

// Where f32 does not hold x exactly: the neighbour towards zero with its last bit set. More than two bits remain for
// the rounding to 16 bits to see that x lies off a tie.
struct NarrowDouble : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getIn()).isF64() || getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth() != 16)
      return failure();
    Bits bits(rewriter, op.getLoc(), op.getType());
    Location loc = op.getLoc();
    Value x = op.getIn();
    Value nearest = arith::TruncFOp::create(rewriter, loc, bits.typeOf(rewriter.getF32Type()), x);
    Value back = arith::ExtFOp::create(rewriter, loc, x.getType(), nearest);
    Value inexact = arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::ONE, back, x);
    Value away =
        arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::OGT, math::AbsFOp::create(rewriter, loc, back),
                              math::AbsFOp::create(rewriter, loc, x));
    Value word = bits.asInteger(nearest), zero = bits.constant(0), one = bits.constant(1);
    word = bits.either(bits.sub(word, bits.select(away, one, zero)), bits.select(inexact, one, zero));
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), bits.asReal(word));
    return success();
  }
};

// LLVM calls a library for an integer that becomes a 16-bit float where the processor has no instruction for the
// latter.
template <typename Op> struct ConvertBySingle : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth() != 16)
      return failure();
    Bits bits(rewriter, op.getLoc(), op.getType());
    Value single = Op::create(rewriter, op.getLoc(), bits.typeOf(rewriter.getF32Type()), op.getIn());
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), single);
    return success();
  }
};

bool isNarrow(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF16() || element.isBF16();
}

struct WidenOps : RewritePattern {
  explicit WidenOps(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  static bool computes(Operation *op) {
    if (isa<arith::ArithDialect>(op->getDialect()))
      return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::RemFOp, arith::MaximumFOp,
                 arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp, arith::CmpFOp>(op);
    return isa<vector::ReductionOp, vector::FMAOp>(op) || isa<math::MathDialect>(op->getDialect());
  }

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!computes(op) || op->getNumResults() != 1 || llvm::none_of(op->getOperandTypes(), isNarrow))
      return failure();
    auto wide = [&](Type type) -> Type {
      auto vector = dyn_cast<VectorType>(type);
      return vector ? Type(vector.clone(rewriter.getF32Type())) : rewriter.getF32Type();
    };
    Location loc = op->getLoc();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(isNarrow(operand.getType())
                             ? Value(arith::ExtFOp::create(rewriter, loc, wide(operand.getType()), operand))
                             : operand);
    Type type = op->getResult(0).getType();
    Operation *clone = rewriter.clone(*op);
    clone->setOperands(operands);
    if (isNarrow(type)) {
      clone->getResult(0).setType(wide(type));
      rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, type, clone->getResult(0));
    } else {
      rewriter.replaceOp(op, clone);
    }
    return success();
  }
};

struct NarrowSingle : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getIn()).isF32() || !getElementTypeOrSelf(op.getType()).isF16())
      return failure();
    Location loc = op.getLoc();
    Bits bits(rewriter, loc, op.getType());
    Value word = bits.asInteger(op.getIn());
    Value magnitude = bits.both(word, bits.constant(0x7fffffff)),
          sign = bits.both(bits.right(word, 16), bits.constant(0x8000));
    // From 2^16 on: infinity; NaN stays one.
    Value isNumber = bits.below(magnitude, 0x7f800001);
    Value special = bits.select(isNumber, bits.constant(0x7c00), bits.constant(0x7e00));
    // Below 2^-14: the addition shifts and rounds as the result must.
    Value shifted = arith::AddFOp::create(rewriter, loc, bits.asReal(magnitude), bits.real(0.5f));
    Value subnormal = bits.sub(bits.asInteger(shifted), bits.constant(0x3f000000));
    // Else: another bias of the exponent, half a unit less its last bit's doing, and 13 bits fewer.
    Value odd = bits.both(bits.right(magnitude, 13), bits.constant(1));
    Value normal = bits.right(bits.add(bits.add(magnitude, bits.constant(0xc8000fff)), odd), 13);
    Value half = bits.select(bits.below(magnitude, 0x38800000), subnormal, normal);
    half = bits.either(bits.select(bits.below(magnitude, 0x47800000), half, special), sign);
    Value narrow = arith::TruncIOp::create(rewriter, loc, bits.typeOf(rewriter.getI16Type()), half);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), narrow);
    return success();
  }
};

// f32 holds it exactly, and has upstream's pattern.
struct WidenBfloatTwice : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getIn()).isBF16() || !getElementTypeOrSelf(op.getType()).isF64())
      return failure();
    Bits bits(rewriter, op.getLoc(), op.getType());
    Value middle = arith::ExtFOp::create(rewriter, op.getLoc(), bits.typeOf(rewriter.getF32Type()), op.getIn());
    rewriter.replaceOpWithNewOp<arith::ExtFOp>(op, op.getType(), middle);
    return success();
  }
};

struct WidenHalf : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getIn()).isF16())
      return failure();
    Location loc = op.getLoc();
    Bits bits(rewriter, loc, op.getType());
    if (getElementTypeOrSelf(op.getType()).isF64()) {
      Value middle = arith::ExtFOp::create(rewriter, loc, bits.typeOf(rewriter.getF32Type()), op.getIn());
      rewriter.replaceOpWithNewOp<arith::ExtFOp>(op, op.getType(), middle);
      return success();
    }
    Value half = arith::BitcastOp::create(rewriter, loc, bits.typeOf(rewriter.getI16Type()), op.getIn());
    Value word = arith::ExtUIOp::create(rewriter, loc, bits.typeOf(rewriter.getI32Type()), half);
    Value sign = bits.left(bits.both(word, bits.constant(0x8000)), 16);
    Value magnitude = bits.left(bits.both(word, bits.constant(0x7fff)), 13);
    // The multiplication by 2^112 moves the bias, of subnormals too.
    Value scaled = arith::MulFOp::create(rewriter, loc, bits.asReal(magnitude), bits.real(0x1p112f));
    Value special = bits.either(magnitude, bits.constant(0x7f800000));
    Value wide = bits.select(bits.below(magnitude, 0x0f800000), bits.asInteger(scaled), special);
    rewriter.replaceOp(op, bits.asReal(bits.either(wide, sign)));
    return success();
  }
};

} // namespace

void codegen::populateNarrowingPatterns(RewritePatternSet &patterns) {
  patterns.add<NarrowDouble, WidenOps, WidenBfloatTwice, ConvertBySingle<arith::SIToFPOp>,
               ConvertBySingle<arith::UIToFPOp>>(patterns.getContext());
}

void codegen::populateHalfPatterns(RewritePatternSet &patterns) {
  patterns.add<NarrowSingle, WidenHalf>(patterns.getContext());
}
