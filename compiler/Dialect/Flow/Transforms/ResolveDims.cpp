// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/IR/FlowCollectives.h"
#include "compiler/Dialect/Flow/Transforms/Passes.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Rewrite.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Transforms/Transforms.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_RESOLVEDIMS
#include "compiler/Dialect/Flow/Transforms/Passes.h.inc"
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
    // At the top: branches and loops share it.
    rewriter.setInsertionPointToStart(&func.getBody().front());
    Value dimension = flow::DimensionOp::create(rewriter, op.getLoc(), rewriter.getIndexType(), name);
    rewriter.replaceOp(op, dimension);
    return success();
  }
};

// The sizes of what a region, a dispatch, a transfer, an encode or a collective gives stand beside it.
struct ResolveResultDim : OpRewritePattern<tensor::DimOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::DimOp op, PatternRewriter &rewriter) const override {
    auto result = dyn_cast<OpResult>(op.getSource());
    std::optional<int64_t> index = op.getConstantIndex();
    if (!result || !index)
      return failure();
    OperandRange sizes(nullptr, 0);
    if (auto region = dyn_cast<flow::RegionOp>(result.getOwner()))
      sizes = region.getResultDims();
    else if (auto dispatch = dyn_cast<flow::DispatchOp>(result.getOwner()))
      sizes = dispatch.getResultDims();
    else if (auto encode = dyn_cast<flow::EncodeOp>(result.getOwner()))
      sizes = encode.getDims();
    else if (auto transfer = dyn_cast<flow::TransferOp>(result.getOwner()))
      sizes = transfer.getDims();
    else if (auto collective = dyn_cast<flow::CollectiveOpInterface>(result.getOwner()))
      sizes = collective.getResultDims();
    else
      return failure();
    unsigned position = 0;
    for (Value earlier : result.getOwner()->getResults().take_front(result.getResultNumber()))
      position += cast<RankedTensorType>(earlier.getType()).getNumDynamicDims();
    auto type = cast<RankedTensorType>(result.getType());
    if (*index >= type.getRank() || !type.isDynamicDim(*index))
      return failure();
    rewriter.replaceOp(op, sizes[position + type.getDynamicDimIndex(*index)]);
    return success();
  }
};

// The size of a structured op's result along one loop, as LinalgOp::reifyResultShapes() has it, which computes the
// sizes of all results along all loops for each that is asked for.
struct ResolveStructuredDim : OpRewritePattern<tensor::DimOp> {
  ResolveStructuredDim(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(tensor::DimOp op, PatternRewriter &rewriter) const override {
    auto structured = op.getSource().getDefiningOp<linalg::LinalgOp>();
    std::optional<int64_t> index = op.getConstantIndex();
    if (!structured || !structured.hasPureTensorSemantics() || !index)
      return failure();
    auto result = cast<OpResult>(op.getSource());
    AffineMap map = structured.getIndexingMapMatchingResult(result);
    if (*index < 0 || *index >= map.getNumResults() || !cast<RankedTensorType>(result.getType()).isDynamicDim(*index))
      return failure();
    auto loop = dyn_cast<AffineDimExpr>(map.getResult(*index));
    if (!loop)
      return failure();
    // The first operand that runs along the loop tells its size.
    for (OpOperand &operand : structured->getOpOperands())
      for (auto [dim, expr] : llvm::enumerate(structured.getMatchingIndexingMap(&operand).getResults())) {
        if (expr != loop)
          continue;
        bool isInit = structured.isDpsInit(&operand);
        Value sized = isInit ? structured.getTiedOpOperand(result)->get() : operand.get();
        OpFoldResult size =
            linalg::createFoldedDimOp(rewriter, op.getLoc(), sized, isInit ? *index : static_cast<int64_t>(dim));
        rewriter.replaceOp(op, getValueOrCreateConstantIndexOp(rewriter, op.getLoc(), size));
        return success();
      }
    return failure();
  }
};

// What a loop carries has the size that it began with, where the loop says so.
struct ResolveLoopDim : OpRewritePattern<tensor::DimOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::DimOp op, PatternRewriter &rewriter) const override {
    scf::ForOp loop;
    unsigned number = 0;
    if (auto result = dyn_cast<OpResult>(op.getSource())) {
      loop = dyn_cast<scf::ForOp>(result.getOwner());
      number = result.getResultNumber();
    } else if (auto argument = cast<BlockArgument>(op.getSource()); argument.getArgNumber() > 0) {
      loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      number = argument.getArgNumber() - 1;
    }
    if (!loop || !loop->hasAttr(kKeepsShapesAttr))
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.getSourceMutable().assign(loop.getInitArgs()[number]); });
    return success();
  }
};

// The size of a branch's result is a result, too.
struct ResolveBranchDim : OpRewritePattern<tensor::DimOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::DimOp op, PatternRewriter &rewriter) const override {
    auto branch = op.getSource().getDefiningOp<scf::IfOp>();
    std::optional<int64_t> index = op.getConstantIndex();
    if (!branch || !index)
      return failure();
    unsigned number = cast<OpResult>(op.getSource()).getResultNumber();
    for (scf::YieldOp yield : {branch.thenYield(), branch.elseYield()}) {
      rewriter.setInsertionPoint(yield);
      Value size = tensor::DimOp::create(rewriter, op.getLoc(), yield.getOperand(number), *index);
      rewriter.modifyOpInPlace(yield, [&] { yield.getResultsMutable().append(size); });
    }
    SmallVector<Type> types(branch.getResultTypes());
    types.push_back(rewriter.getIndexType());
    rewriter.setInsertionPoint(branch);
    auto wider = scf::IfOp::create(rewriter, branch.getLoc(), types, branch.getCondition());
    rewriter.inlineRegionBefore(branch.getThenRegion(), wider.getThenRegion(), wider.getThenRegion().end());
    rewriter.inlineRegionBefore(branch.getElseRegion(), wider.getElseRegion(), wider.getElseRegion().end());
    rewriter.replaceOp(op, wider.getResults().back());
    rewriter.replaceOp(branch, wider.getResults().drop_back());
    return success();
  }
};

struct ResolveDims : mlir::heddle::impl::ResolveDimsBase<ResolveDims> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
    memref::populateResolveShapedTypeResultDimsPatterns(patterns);
    tensor::DimOp::getCanonicalizationPatterns(patterns, &getContext());
    tensor::EmptyOp::getCanonicalizationPatterns(patterns, &getContext());
    patterns.add<ResolveArgumentDim, ResolveBranchDim, ResolveLoopDim, ResolveResultDim, ResolveStructuredDim>(
        &getContext());
    if (failed(rewriteGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    lowerAffine();
  }

  // Reified sizes come as affine.apply; sizes of the host program are arith.
  void lowerAffine() {
    auto isAffine = [](Operation *op) {
      return isa_and_nonnull<affine::AffineDialect>(op->getDialect()) ? WalkResult::interrupt() : WalkResult::advance();
    };
    if (getOperation()->walk(isAffine).wasInterrupted()) {
      RewritePatternSet patterns(&getContext());
      affine::populateAffineExpandIndexOpsPatterns(patterns);
      patterns.add<LowerApply>(&getContext());
      if (failed(rewriteGreedily(getOperation(), std::move(patterns))))
        return signalPassFailure();
    }
    getOperation().walk([](Operation *op) {
      auto arithmetic = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op);
      if (arithmetic && op->getResult(0).getType().isIndex())
        op->setAttr(arithmetic.getIntegerOverflowAttrName(),
                    arith::IntegerOverflowFlagsAttr::get(op->getContext(), arith::IntegerOverflowFlags::none));
    });
  }

  struct LowerApply : OpRewritePattern<affine::AffineApplyOp> {
    using OpRewritePattern::OpRewritePattern;
    LogicalResult matchAndRewrite(affine::AffineApplyOp op, PatternRewriter &rewriter) const override {
      auto results =
          affine::expandAffineMap(rewriter, op.getLoc(), op.getAffineMap(), llvm::to_vector(op.getOperands()));
      if (!results || results->size() != 1)
        return failure();
      rewriter.replaceOp(op, results->front());
      return success();
    }
  };
};

} // namespace
