// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Analysis/Structure.h"
#include "compiler/Dialect/Rewrite.h"
#include "compiler/Stages/Encode/Passes.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_EXPANDBATCHES
#include "compiler/Stages/Encode/Passes.h.inc"
} // namespace mlir::heddle

namespace {

// Also with windows or with columns in panels.
bool contracts(Operation *op) {
  auto linalgOp = dyn_cast_or_null<linalg::LinalgOp>(op);
  if (!linalgOp || linalgOp.getNumReductionLoops() == 0)
    return false;
  const Structure structure = Structure::of(linalgOp);
  return structure.isContraction() || structure.isComputed();
}

bool hasBatchLoop(Operation *op) {
  auto linalgOp = dyn_cast_or_null<linalg::LinalgOp>(op);
  if (!linalgOp || !contracts(op))
    return false;
  return llvm::any_of(linalgOp.getIndexingMapsArray().back().getResults(),
                      [&](AffineExpr loop) { return isBatchLoop(linalgOp, loop); });
}

// Whether a contraction with batches reads what is computed from the op's results without another contraction.
bool leadsToBatches(Operation *op) {
  llvm::SetVector<Operation *> reached;
  reached.insert(op);
  for (size_t i = 0; i < reached.size(); ++i)
    for (Operation *user : reached[i]->getUsers()) {
      if (hasBatchLoop(user))
        return true;
      bool isRows = isa<linalg::LinalgOp>(user) && !contracts(user);
      if (isRows || isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(user))
        reached.insert(user);
    }
  return false;
}

// Contractions: where the collapse merges batch dimensions only. Others: where they lie between contractions with
// batches.
bool reads(OpOperand *operand) {
  auto collapse = operand->get().getDefiningOp<tensor::CollapseShapeOp>();
  auto reader = dyn_cast<linalg::LinalgOp>(operand->getOwner());
  if (!collapse || !reader)
    return false;
  AffineMap map = reader.getMatchingIndexingMap(operand);
  bool isProduct = contracts(reader);
  for (auto [group, loop] : llvm::zip_equal(collapse.getReassociationIndices(), map.getResults()))
    if (group.size() > 1 && ((isProduct && !isBatchLoop(reader, loop)) || loop == map.getResults().back()))
      return false;
  if (isProduct)
    return true;
  Operation *source = collapse.getSrc().getDefiningOp();
  if (!isa_and_nonnull<linalg::LinalgOp>(source) || (contracts(source) && !hasBatchLoop(source)))
    return false;
  return leadsToBatches(reader);
}

struct ExpandBatches : mlir::heddle::impl::ExpandBatchesBase<ExpandBatches> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, reads);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, &getContext());
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, &getContext());
    tensor::populateFoldTensorEmptyPatterns(patterns);
    linalg::FillOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(rewriteGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
