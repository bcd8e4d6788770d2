// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Encode/Passes.h"

#include "compiler/Analysis/Structure.h"
#include "compiler/Dialect/Flow/Transforms/RankSlices.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_FOLDTRANSPOSES
#include "compiler/Stages/Encode/Passes.h.inc"
} // namespace mlir::heddle

namespace {

// Rows at a place that a coordinate tells.
bool isPartOfRank(Value value) {
  auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
  auto begin = slice ? dyn_cast<Value>(slice.getMixedOffsets()[0]) : Value();
  return begin && flow::dependsOnCoordinate(begin);
}

// The transpose an operand of a contraction comes from, if its rows stay as they are, or it turns a rank's part of a
// parameter in each call.
linalg::TransposeOp transposeOf(OpOperand &operand) {
  auto transpose = operand.get().getDefiningOp<linalg::TransposeOp>();
  if (!transpose || transpose->getNumResults() != 1)
    return nullptr;
  ArrayRef<int64_t> permutation = transpose.getPermutation();
  bool keepsRows = !permutation.empty() && permutation.back() == static_cast<int64_t>(permutation.size()) - 1;
  return keepsRows || isPartOfRank(transpose.getInput()) ? transpose : nullptr;
}

// The map of what is transposed, from that of its transpose.
AffineMap mapOfSource(AffineMap map, ArrayRef<int64_t> permutation) {
  SmallVector<AffineExpr> results(map.getNumResults());
  for (auto [from, to] : llvm::zip_equal(map.getResults(), permutation))
    results[to] = from;
  return AffineMap::get(map.getNumDims(), 0, results, map.getContext());
}

struct FoldTransposes : mlir::heddle::impl::FoldTransposesBase<FoldTransposes> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> contractions;
    getOperation().walk([&](linalg::LinalgOp op) {
      bool reads = llvm::any_of(op.getDpsInputOperands(), [](OpOperand *input) { return transposeOf(*input); });
      if (reads && op.hasPureTensorSemantics() && isContraction(op))
        contractions.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : contractions)
      if (failed(fold(rewriter, op)))
        return signalPassFailure();
  }

  static LogicalResult fold(IRRewriter &rewriter, linalg::LinalgOp op) {
    auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
    if (!generic) {
      DictionaryAttr said = op->getDiscardableAttrDictionary(); // how many parts, where it runs
      rewriter.setInsertionPoint(op);
      FailureOr<linalg::GenericOp> made = linalg::generalizeNamedOp(rewriter, op);
      if (failed(made))
        return op.emitError("cannot be written as linalg.generic");
      (*made)->setDiscardableAttrs(said);
      generic = *made;
    }
    SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
    for (OpOperand *input : generic.getDpsInputOperands())
      if (linalg::TransposeOp transpose = transposeOf(*input)) {
        AffineMap &map = maps[input->getOperandNumber()];
        map = mapOfSource(map, transpose.getPermutation());
        input->set(transpose.getInput());
        if (transpose->use_empty())
          rewriter.eraseOp(transpose);
      }
    generic.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    return success();
  }
};

} // namespace
