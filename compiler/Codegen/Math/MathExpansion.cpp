// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Math/MathExpansion.h"

#include "compiler/Codegen/Math/DivisionPatterns.h"
#include "compiler/Codegen/Math/DoubleBuilder.h"
#include "compiler/Codegen/Math/DoublePatterns.h"
#include "compiler/Codegen/Math/ExponentialPatterns.h"
#include "compiler/Codegen/Math/NarrowingPatterns.h"
#include "compiler/Codegen/Math/QuantizationPatterns.h"
#include "compiler/Codegen/Math/RemainderPatterns.h"
#include "compiler/Codegen/Math/RoundingPatterns.h"
#include "compiler/Codegen/Math/SinglePatterns.h"
#include "compiler/Dialect/Rewrite.h"

#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace {

// A processor without the instruction would call a library for it.
struct ExpandFma : OpRewritePattern<math::FmaOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FmaOp op, PatternRewriter &rewriter) const override {
    Value product = arith::MulFOp::create(rewriter, op.getLoc(), op.getA(), op.getB());
    rewriter.replaceOpWithNewOp<arith::AddFOp>(op, product, op.getC());
    return success();
  }
};

// LLVM would call a library for both at once.
struct SplitSincos : OpRewritePattern<math::SincosOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::SincosOp op, PatternRewriter &rewriter) const override {
    Value sine = math::SinOp::create(rewriter, op.getLoc(), op.getOperand());
    rewriter.replaceOp(op, {sine, math::CosOp::create(rewriter, op.getLoc(), op.getOperand())});
    return success();
  }
};

} // namespace

static bool isExtremum(Operation *op) {
  auto across = dyn_cast<vector::ReductionOp>(op);
  return isa<arith::MaximumFOp, arith::MinimumFOp>(op) ||
         (across &&
          (across.getKind() == vector::CombiningKind::MAXIMUMF || across.getKind() == vector::CombiningKind::MINIMUMF));
}

static FrozenRewritePatternSet makePatterns(MLIRContext *context, const codegen::MathFeatures &features) {
  RewritePatternSet patterns(context);
  if (!features.fma)
    patterns.add<ExpandFma>(context);
  patterns.add<SplitSincos>(context);
  codegen::populateDivisionPatterns(patterns);
  codegen::populateExponentialPatterns(patterns, features.scaling);
  codegen::populateSinglePatterns(patterns, features.fma, features.mayFuse);
  codegen::populateDoublePatterns(patterns, features.fma);
  if (!features.rounding)
    codegen::populateRoundingPatterns(patterns);
  codegen::populateNarrowingPatterns(patterns);
  codegen::populateRemainderPatterns(patterns);
  codegen::populateRequantizationPatterns(patterns);
  if (features.fma)
    codegen::populateQuotientPatterns(patterns);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  if (!features.bfloatRounding) // else LLVM would call a library
    arith::populateExpandBFloat16Patterns(patterns);
  if (!features.halfConversions)
    codegen::populateHalfPatterns(patterns);
  math::populateExpansionPatterns(
      patterns, {"sinh", "cosh", "tan", "asinh", "acosh", "atanh", "fpowi", "powf", "rsqrt", "clampf"});
  populateMathPolynomialApproximationPatterns(patterns);
  return patterns;
}

codegen::MathExpansion::MathExpansion(MLIRContext *context, const MathFeatures &features)
    : patterns(makePatterns(context, features)) {}

LogicalResult codegen::MathExpansion::run(Operation *op) const {
  guardDivisors(op);
  if (failed(rewriteGreedily(op, patterns)))
    return failure();
  op->walk([](arith::ArithFastMathInterface op) {
    // A narrower type and back rounds, and "contract" would fold both away.
    if (op->removeAttr(codegen::kExactAttr) || isa<arith::TruncFOp, arith::ExtFOp>(op))
      return;
    auto flags = op.getFastMathFlagsAttr();
    auto value = (flags ? flags.getValue() : arith::FastMathFlags::none) | arith::FastMathFlags::contract;
    value = value & ~arith::FastMathFlags::arcp; // LLVM would estimate, and 1 / 0 would be no number
    if (isExtremum(op)) // which zero they give costs two instructions of three, ten across a vector
      value = value | arith::FastMathFlags::nsz;
    op->setAttr(op.getFastMathAttrName(), arith::FastMathFlagsAttr::get(op->getContext(), value));
  });
  return success();
}
