// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Rewrite.h"
#include "compiler/Stages/Streams/Passes.h"

#include "mlir/Dialect/Tensor/Transforms/Transforms.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_JOINNESTED
#include "compiler/Stages/Streams/Passes.h.inc"
} // namespace mlir::heddle

// The loop over streams that computes all of what the op inserts, part by part, if it does so for it alone; and which
// of its results that is.
static std::pair<scf::ForOp, unsigned> findInner(tensor::InsertSliceOp outer) {
  auto result = dyn_cast<OpResult>(outer.getSource());
  auto inner = result ? dyn_cast<scf::ForOp>(result.getOwner()) : scf::ForOp();
  if (!inner || !inner->hasAttr(kStreamsAttr) || inner->getBlock() != outer->getBlock() || !result.hasOneUse() ||
      !inner.getInitArgs()[result.getResultNumber()].getDefiningOp<tensor::EmptyOp>() || !outer.hasUnitStride())
    return {};
  auto carried = dyn_cast<BlockArgument>(outer.getDest());
  auto around = dyn_cast<scf::ForOp>(outer->getParentOp());
  bool isPart = around && around->hasAttr(kStreamsAttr) && carried && carried.getOwner() == around.getBody() &&
                carried.hasOneUse();
  return isPart ? std::pair(inner, result.getResultNumber()) : std::pair(scf::ForOp(), 0u);
}

// Where the inner part lies in the outer tensor: the inner position in the slice, and that of the slice.
static void insertDirectly(tensor::InsertSliceOp part, tensor::InsertSliceOp outer,
                           const llvm::SmallBitVector &dropped) {
  OpBuilder b(part);
  Location loc = part.getLoc();
  SmallVector<OpFoldResult> offsets = outer.getMixedOffsets(), sizes;
  SmallVector<OpFoldResult> strides(offsets.size(), b.getIndexAttr(1));
  unsigned inner = 0;
  AffineExpr x = b.getAffineSymbolExpr(0), y = b.getAffineSymbolExpr(1);
  for (size_t dim = 0; dim < offsets.size(); ++dim) {
    if (dropped[dim]) {
      sizes.push_back(b.getIndexAttr(1));
      continue;
    }
    offsets[dim] = affine::makeComposedFoldedAffineApply(b, loc, x + y, {offsets[dim], part.getMixedOffsets()[inner]});
    sizes.push_back(part.getMixedSizes()[inner++]);
  }
  auto made = tensor::InsertSliceOp::create(b, loc, part.getSource(), part.getDest(), offsets, sizes, strides);
  part.replaceAllUsesWith(made.getResult());
  part.erase();
}

// The inner loop fills the outer loop's tensor.
static void join(tensor::InsertSliceOp outer, scf::ForOp inner, unsigned number) {
  auto part = inner.getBody()->getTerminator()->getOperand(number).getDefiningOp<tensor::InsertSliceOp>();
  if (!part || part.getDest() != inner.getRegionIterArgs()[number] || !part.hasUnitStride() ||
      part.getDroppedDims().any())
    return;
  // What tells the place may stand behind the loop.
  for (Value offset : outer.getOffsets())
    if (Operation *def = offset.getDefiningOp();
        def && def->getBlock() == inner->getBlock() && inner->isBeforeInBlock(def))
      return;
  Value whole = outer.getDest();
  llvm::SmallBitVector dropped = outer.getDroppedDims(); // by the type that the loop still has
  inner.getInitArgsMutable()[number].assign(whole);
  inner.getRegionIterArgs()[number].setType(cast<RankedTensorType>(whole.getType()));
  inner.getResult(number).setType(cast<RankedTensorType>(whole.getType()));
  insertDirectly(part, outer, dropped);
  outer.replaceAllUsesWith(inner.getResult(number));
  outer.erase();
}

namespace {

struct JoinNested : mlir::heddle::impl::JoinNestedBase<JoinNested> {
  void runOnOperation() override {
    SmallVector<tensor::InsertSliceOp> outers; // the outermost first, whose slices those inside lie in
    getOperation().walk<WalkOrder::PreOrder>([&](tensor::InsertSliceOp op) {
      if (findInner(op).first)
        outers.push_back(op);
    });
    if (outers.empty())
      return;
    llvm::sort(outers,
               [](tensor::InsertSliceOp a, tensor::InsertSliceOp b) { return countParents(a) < countParents(b); });
    for (tensor::InsertSliceOp outer : outers)
      if (auto [inner, number] = findInner(outer); inner)
        join(outer, inner, number);
    // Slices of slices, too.
    RewritePatternSet patterns(&getContext());
    tensor::populateMergeConsecutiveInsertExtractSlicePatterns(patterns);
    if (failed(rewriteGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }

private:
  static unsigned countParents(Operation *op) {
    unsigned count = 0;
    for (; op; op = op->getParentOp())
      ++count;
    return count;
  }
};

} // namespace
