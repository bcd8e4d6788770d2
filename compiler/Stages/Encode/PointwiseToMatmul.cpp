// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Analysis/Structure.h"
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
         Structure::of(op).sumsNumbers();
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

// Dimensions before `channel`, it, and those after it: each one dimension.
static SmallVector<ReassociationIndices> groupsAround(int64_t channel, int64_t rank) {
  SmallVector<ReassociationIndices> groups;
  if (channel > 0)
    groups.push_back(llvm::to_vector<2>(llvm::seq<int64_t>(0, channel)));
  groups.push_back({channel});
  groups.push_back(llvm::to_vector<2>(llvm::seq<int64_t>(channel + 1, rank)));
  return groups;
}

namespace {

// A pointwise convolution between transposes from and to channels first.
struct ChannelsFirst {
  linalg::GenericOp op;
  linalg::TransposeOp before, after;
  int64_t channel; // dimension of before's operand and after's result

  static std::optional<ChannelsFirst> match(linalg::GenericOp op);
  void convert(IRRewriter &rewriter);
};

std::optional<ChannelsFirst> ChannelsFirst::match(linalg::GenericOp op) {
  // Of fewer positions too many lanes of the vectors along them are idle.
  constexpr int64_t kFewestPositions = 128;
  auto before = op->getOperand(0).getDefiningOp<linalg::TransposeOp>();
  auto after = op->hasOneUse() ? dyn_cast<linalg::TransposeOp>(*op->user_begin()) : nullptr;
  if (!before || !after || after.getInput() != op->getResult(0) || encode::isConstant(before.getInput()))
    return std::nullopt;
  auto type = cast<RankedTensorType>(before.getInput().getType());
  int64_t rank = type.getRank(), channel = before.getPermutation().back();
  encode::Permutation last = encode::identity(rank);
  last.erase(last.begin() + channel);
  last.push_back(channel);
  if (channel + 1 == rank || before.getPermutation() != ArrayRef(last) ||
      after.getPermutation() != ArrayRef(encode::inverse(last)))
    return std::nullopt;
  int64_t positions = 1;
  for (int64_t size : type.getShape().drop_front(channel + 1))
    positions *= ShapedType::isDynamic(size) ? kFewestPositions : size;
  return positions < kFewestPositions ? std::nullopt : std::optional(ChannelsFirst{op, before, after, channel});
}

// y[n, f, p] = sum of x[n, c, p] * w[c, f]: columns are positions, and nothing is transposed but the weights.
void ChannelsFirst::convert(IRRewriter &rewriter) {
  rewriter.setInsertionPoint(after);
  Location loc = op.getLoc();
  MLIRContext *context = op.getContext();
  auto type = cast<RankedTensorType>(after->getResult(0).getType());
  SmallVector<ReassociationIndices> groups = groupsAround(channel, type.getRank());
  Value x = tensor::CollapseShapeOp::create(rewriter, loc, before.getInput(), groups);
  Value weights = encode::transposed(rewriter, op->getOperand(1), {1, 0});
  Value init = encode::transposed(rewriter, op->getOperand(2), after.getPermutation());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, init);
  if (auto fill = init.getDefiningOp<linalg::FillOp>()) {
    SmallVector<OpFoldResult> shape = tensor::getMixedSizes(rewriter, loc, x);
    shape[shape.size() - 2] = sizes[channel];
    Value empty = tensor::EmptyOp::create(rewriter, loc, shape, type.getElementType());
    init = linalg::FillOp::create(rewriter, loc, fill.getInputs(), ValueRange{empty}).getResult(0);
  } else {
    init = tensor::CollapseShapeOp::create(rewriter, loc, init, groups);
  }
  unsigned rank = groups.size(), loops = rank + 1;
  AffineExpr f = getAffineDimExpr(rank - 2, context), c = getAffineDimExpr(rank, context);
  AffineMap result = AffineMap::getMultiDimIdentityMap(loops, context).dropResult(rank);
  SmallVector<AffineExpr> read(result.getResults());
  read[rank - 2] = c;
  SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
  kinds.push_back(utils::IteratorType::reduction);
  auto product = linalg::GenericOp::create(
      rewriter, loc, TypeRange{init.getType()}, ValueRange{x, weights}, init,
      ArrayRef<AffineMap>{AffineMap::get(loops, 0, read, context), AffineMap::get(loops, 0, {f, c}, context), result},
      kinds);
  product->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rewriter.cloneRegionBefore(op.getRegion(), product.getRegion(), product.getRegion().end());
  rewriter.replaceOpWithNewOp<tensor::ExpandShapeOp>(after, type, product.getResult(0), groups, sizes);
  rewriter.eraseOp(op);
  if (before->use_empty())
    rewriter.eraseOp(before);
}

struct PointwiseToMatmul : mlir::heddle::impl::PointwiseToMatmulBase<PointwiseToMatmul> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::GenericOp> pointwise;
    getOperation().walk([&](linalg::GenericOp op) {
      if (isPointwise(op))
        pointwise.push_back(op);
    });
    for (linalg::GenericOp op : pointwise)
      if (std::optional<ChannelsFirst> found = ChannelsFirst::match(op))
        found->convert(rewriter);
      else
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
