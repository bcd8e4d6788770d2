#include "compiler/Stages/Simplify/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Affine/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_RESOLVEDIMS
#include "compiler/Stages/Simplify/Passes.h.inc"
} // namespace mlir::heddle

namespace {

// The size of an entry point's argument is its named dimension.
struct ResolveArgumentDim : OpRewritePattern<tensor::DimOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::DimOp op, PatternRewriter &rewriter) const override {
    auto argument = dyn_cast<BlockArgument>(op.getSource());
    std::optional<int64_t> index = op.getConstantIndex();
    if (!argument || !index)
      return failure();
    auto func = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    if (!func)
      return failure();
    auto names = func.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), "heddle.dims");
    if (!names || *index >= static_cast<int64_t>(names.size()))
      return failure();
    auto name = dyn_cast<StringAttr>(names[*index]);
    if (!name || name.empty())
      return failure();
    rewriter.replaceOpWithNewOp<flow::DimensionOp>(op, rewriter.getIndexType(), name);
    return success();
  }
};

struct ResolveDims : heddle::impl::ResolveDimsBase<ResolveDims> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
    memref::populateResolveShapedTypeResultDimsPatterns(patterns);
    tensor::DimOp::getCanonicalizationPatterns(patterns, &getContext());
    tensor::EmptyOp::getCanonicalizationPatterns(patterns, &getContext());
    patterns.add<ResolveArgumentDim>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    lowerAffine();
  }

  // Reified sizes come as affine.apply; sizes of the host program are arith.
  void lowerAffine() {
    RewritePatternSet patterns(&getContext());
    affine::populateAffineExpandIndexOpsPatterns(patterns);
    patterns.add<LowerApply>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }

  struct LowerApply : OpRewritePattern<affine::AffineApplyOp> {
    using OpRewritePattern::OpRewritePattern;
    LogicalResult matchAndRewrite(affine::AffineApplyOp op, PatternRewriter &rewriter) const override {
      auto results = affine::expandAffineMap(rewriter, op.getLoc(), op.getAffineMap(), llvm::to_vector(op.getOperands()));
      if (!results || results->size() != 1)
        return failure();
      rewriter.replaceOp(op, results->front());
      return success();
    }
  };
};

} // namespace
