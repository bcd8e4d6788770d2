#include "compiler/Stages/Encode/Components.h"
#include "compiler/Stages/Encode/Passes.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_PROPAGATETRANSPOSES
#include "compiler/Stages/Encode/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct PropagateTransposes : heddle::impl::PropagateTransposesBase<PropagateTransposes> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    DominanceInfo dominance(getOperation());
    while (true) {
      fold(rewriter);
      eliminateCommonSubExpressions(rewriter, dominance, getOperation());
      if (!turnOne(rewriter))
        return;
    }
  }

  SmallVector<linalg::TransposeOp> collect() {
    SmallVector<linalg::TransposeOp> transposes;
    getOperation().walk([&](linalg::TransposeOp op) {
      if (op.hasPureTensorSemantics())
        transposes.push_back(op);
    });
    return transposes;
  }

  // Transposes of transposes, and those that are views or of filled values.
  void fold(IRRewriter &rewriter) {
    for (linalg::TransposeOp op : collect()) {
      if (op->use_empty()) {
        rewriter.eraseOp(op);
        continue;
      }
      Value input = op.getInput();
      if (!input.getDefiningOp<linalg::TransposeOp>() && !input.getDefiningOp<linalg::FillOp>() &&
          !encode::isView(cast<RankedTensorType>(input.getType()), op.getPermutation()))
        continue;
      rewriter.setInsertionPoint(op);
      rewriter.replaceOp(op, encode::transposed(rewriter, input, op.getPermutation()));
    }
  }

  // Turns the first component that pays; whether there was one.
  bool turnOne(OpBuilder &builder) {
    using Transposes = encode::Component::Transposes;
    for (Transposes transposes : {Transposes::Follow, Transposes::Absorb})
      for (linalg::TransposeOp op : collect())
        if (!encode::isConstant(op.getInput()) && turnAt(builder, op, transposes))
          return true;
    return false;
  }

  bool turnAt(OpBuilder &builder, linalg::TransposeOp op, encode::Component::Transposes transposes) {
    std::pair<Value, encode::Permutation> starts[] = {{op->getResult(0), encode::inverse(op.getPermutation())},
                                                      {op.getInput(), encode::Permutation(op.getPermutation())}};
    for (auto &[value, permutation] : starts) {
      encode::Component component(transposes);
      component.grow(value, permutation);
      if (component.gain() <= 0)
        continue;
      component.turn(builder);
      return true;
    }
    return false;
  }
};

} // namespace
