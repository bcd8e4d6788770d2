// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/IR/StrictFloat.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Evaluation/Evaluator.h"
#include "compiler/Stages/Split/Passes.h"
#include "compiler/Stages/Split/Reduction.h"
#include "compiler/Stages/Split/SoftmaxChain.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_CHOOSEREDUCTIONS
#include "compiler/Stages/Split/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct ChooseReductions : mlir::heddle::impl::ChooseReductionsBase<ChooseReductions> {
  using ChooseReductionsBase::ChooseReductionsBase;

  void runOnOperation() override {
    if (strictFloat)
      getOperation()->setAttr(flow::kStrictFloatAttr, UnitAttr::get(&getContext()));
    WalkResult walk = getOperation().walk([&](linalg::LinalgOp op) {
      if (split::isKeptWhole(op))
        return WalkResult::advance();
      // A loop that the program has says which parts there are.
      if (op->getParentOfType<scf::ForallOp>()) {
        if (op->hasAttr(kSplitAttr))
          return WalkResult(
              op.emitError("has heddle.split, but is in the body of an scf.forall, which has parts of its "
                           "own; leave the attribute out"));
        return WalkResult::advance();
      }
      if (op->hasAttr(kSplitAttr)) {
        auto found = split::findReduction(op);
        auto *reduction = std::get_if<split::Reduction>(&found);
        std::string reason = !reduction    ? std::get<std::string>(found)
                             : strictFloat ? split::refuseStrictly(*reduction)
                                           : "";
        if (!reason.empty())
          return WalkResult(op.emitError() << "has heddle.split, but cannot be split: " << reason);
      } else {
        if (strategy.empty() || !split::refuseByDefault(op, strictFloat).empty())
          return WalkResult::advance();
        op->setAttr(kSplitAttr, StringAttr::get(&getContext(), strategy.getValue()));
      }
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return signalPassFailure();
    getOperation().walk([&](linalg::LinalgOp op) {
      if (op->hasAttr(kSplitAttr) && !split::isKeptWhole(op))
        markScores(op);
    });
  }

  // Scores and weights are computed in the same parts as the product. Where one of its columns is stored with the
  // program, data tiling lays it out.
  void markScores(linalg::LinalgOp product) {
    std::optional<split::SoftmaxChain> chain = split::matchSoftmaxChain(product, {});
    auto isStored = [](Value value) { return evaluation::isConstantExpression(value); };
    if (chain && llvm::none_of(chain->scores.getDpsInputs(), isStored) && !isStored(chain->getValues()->get()))
      chain->scores->setAttr(kSplitScoresAttr, UnitAttr::get(&getContext()));
  }
};

} // namespace
