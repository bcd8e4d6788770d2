// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Math/DoublePatterns.h"

#include "compiler/Codegen/Math/DoubleFunctions.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

namespace {

// Higher than that of upstream's patterns.
constexpr unsigned kBenefit = 2;

using Function = Value (*)(DoubleBuilder &, ValueRange);

template <typename Op, Function function> struct ExpandDouble : OpRewritePattern<Op> {
  ExpandDouble(MLIRContext *context, bool hasFma, bool alsoSingle)
      : OpRewritePattern<Op>(context, kBenefit), hasFma(hasFma), alsoSingle(alsoSingle) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Type type = op.getType(), element = getElementTypeOrSelf(type);
    if (!element.isF64() && !(alsoSingle && element.isF32()))
      return failure();
    Location loc = op.getLoc();
    Type wide = rewriter.getF64Type();
    if (auto vector = dyn_cast<VectorType>(type))
      wide = vector.clone(wide);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(type == wide ? operand : Value(arith::ExtFOp::create(rewriter, loc, wide, operand)));
    DoubleBuilder builder(rewriter, loc, wide, hasFma);
    Value result = function(builder, operands);
    if (type == wide)
      rewriter.replaceOp(op, result);
    else
      rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, type, result);
    return success();
  }

  bool hasFma, alsoSingle;
};

template <Value (*function)(DoubleBuilder &, Value)> Value unary(DoubleBuilder &d, ValueRange v) {
  return function(d, v[0]);
}
template <Value (*function)(DoubleBuilder &, Value, Value)> Value binary(DoubleBuilder &d, ValueRange v) {
  return function(d, v[0], v[1]);
}

} // namespace

void codegen::populateDoublePatterns(RewritePatternSet &patterns, bool hasFma) {
  // In f32 upstream's approximations are good.
  patterns.add<ExpandDouble<math::ExpOp, unary<doubles::exp>>, ExpandDouble<math::ExpM1Op, unary<doubles::expM1>>,
               ExpandDouble<math::LogOp, unary<doubles::log>>, ExpandDouble<math::Log2Op, unary<doubles::log2>>,
               ExpandDouble<math::Log1pOp, unary<doubles::log1p>>, ExpandDouble<math::TanhOp, unary<doubles::tanh>>,
               ExpandDouble<math::ErfOp, unary<doubles::erf>>, ExpandDouble<math::ErfcOp, unary<doubles::erfc>>>(
      patterns.getContext(), hasFma, /*alsoSingle=*/false);
  patterns.add<ExpandDouble<math::PowFOp, binary<doubles::pow>>, ExpandDouble<math::CbrtOp, unary<doubles::cbrt>>,
               ExpandDouble<math::Atan2Op, binary<doubles::atan2>>, ExpandDouble<math::Exp2Op, unary<doubles::exp2>>,
               ExpandDouble<math::Log10Op, unary<doubles::log10>>, ExpandDouble<math::SinhOp, unary<doubles::sinh>>,
               ExpandDouble<math::CoshOp, unary<doubles::cosh>>, ExpandDouble<math::AsinhOp, unary<doubles::asinh>>,
               ExpandDouble<math::AcoshOp, unary<doubles::acosh>>, ExpandDouble<math::AtanhOp, unary<doubles::atanh>>,
               ExpandDouble<math::SinOp, unary<doubles::sin>>, ExpandDouble<math::CosOp, unary<doubles::cos>>,
               ExpandDouble<math::TanOp, unary<doubles::tan>>, ExpandDouble<math::AsinOp, unary<doubles::asin>>,
               ExpandDouble<math::AcosOp, unary<doubles::acos>>, ExpandDouble<math::AtanOp, unary<doubles::atan>>>(
      patterns.getContext(), hasFma, /*alsoSingle=*/true);
}
