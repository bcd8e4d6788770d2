#include "compiler/Stages/Encode/Convolution.h"
#include "compiler/Stages/Encode/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_POINTWISETOMATMUL
#include "compiler/Stages/Encode/Passes.h.inc"
} // namespace mlir::heddle

// x[m…, c] · w[c, f] with the plain product of plain sums.
static bool isPointwise(linalg::GenericOp op) {
  std::optional<encode::Layouts> layouts = encode::channelsLastLayouts(op);
  if (!layouts || !encode::areIdentity(*layouts) || op.getNumReductionLoops() != 1 || op.getNumParallelLoops() < 2)
    return false;
  Type element = getElementTypeOrSelf(op->getResult(0));
  if (llvm::any_of(op->getOperandTypes(), [&](Type type) { return getElementTypeOrSelf(type) != element; }))
    return false;
  unsigned loops = op.getNumLoops(), filter = loops - 2, channel = loops - 1;
  MLIRContext *context = op.getContext();
  AffineMap all = AffineMap::getMultiDimIdentityMap(loops, context);
  AffineExpr f = getAffineDimExpr(filter, context), c = getAffineDimExpr(channel, context);
  return op.getIndexingMapsArray() == SmallVector<AffineMap>{all.dropResult(filter),
                                                             AffineMap::get(loops, 0, {c, f}, context),
                                                             all.dropResult(channel)} &&
         linalg::detail::isContractionBody(*op.getBlock(), [](Operation *mul, Operation *add) {
           return (isa<arith::MulFOp>(mul) && isa<arith::AddFOp>(add)) ||
                  (isa<arith::MulIOp>(mul) && isa<arith::AddIOp>(add));
         });
}

// All dimensions but the last become one.
static Value collapsePositions(OpBuilder &builder, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getRank() == 2)
    return value;
  SmallVector<ReassociationIndices> groups{llvm::to_vector<2>(llvm::seq<int64_t>(0, type.getRank() - 1)),
                                           {type.getRank() - 1}};
  return tensor::CollapseShapeOp::create(builder, value.getLoc(), value, groups);
}

namespace {

struct PointwiseToMatmul : heddle::impl::PointwiseToMatmulBase<PointwiseToMatmul> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::GenericOp> pointwise;
    getOperation().walk([&](linalg::GenericOp op) {
      if (isPointwise(op))
        pointwise.push_back(op);
    });
    for (linalg::GenericOp op : pointwise)
      convert(rewriter, op);
  }

  static void convert(IRRewriter &rewriter, linalg::GenericOp op) {
    rewriter.setInsertionPoint(op);
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Value x = collapsePositions(rewriter, op->getOperand(0)), init = op->getOperand(2);
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, init);
    Value start;
    if (auto fill = init.getDefiningOp<linalg::FillOp>()) {
      // A fill of the collapsed shape, not a view of a fill: it belongs to the product's dispatch.
      SmallVector<OpFoldResult> shape{tensor::getMixedSize(rewriter, loc, x, 0), sizes.back()};
      Value empty = tensor::EmptyOp::create(rewriter, loc, shape, type.getElementType());
      start = linalg::FillOp::create(rewriter, loc, fill.getInputs(), ValueRange{empty}).getResult(0);
    } else {
      start = collapsePositions(rewriter, init);
    }
    Value product = linalg::MatmulOp::create(rewriter, loc, TypeRange{start.getType()},
                                             ValueRange{x, op->getOperand(1)}, ValueRange{start})
                        .getResult(0);
    if (type.getRank() > 2) {
      SmallVector<ReassociationIndices> groups{llvm::to_vector<2>(llvm::seq<int64_t>(0, type.getRank() - 1)),
                                               {type.getRank() - 1}};
      product = tensor::ExpandShapeOp::create(rewriter, loc, type, product, groups, sizes);
    }
    rewriter.replaceOp(op, product);
  }
};

} // namespace
