// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/IR/StrictFloat.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Heddle/IR/SplitRequest.h"
#include "compiler/Evaluation/Evaluator.h"
#include "compiler/Stages/Split/PartCount.h"
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
    WalkResult walk = getOperation().walk([&](linalg::LinalgOp op) { return WalkResult(choose(op)); });
    if (walk.wasInterrupted())
      return signalPassFailure();
    getOperation().walk([&](linalg::LinalgOp op) {
      if (std::optional<SplitRequest> request = getSplitRequest(op); request && !request->isWhole() && !request->loop)
        markScores(op);
    });
  }

  // Fails where what is asked for cannot be had.
  LogicalResult choose(linalg::LinalgOp op) {
    std::optional<SplitRequest> request = getSplitRequest(op);
    if (request && request->isWhole())
      return success();
    // A loop that the program has says which parts there are.
    if (op->getParentOfType<scf::ForallOp>()) {
      if (request)
        return op.emitError("has heddle.split, but is in the body of an scf.forall, which has parts of its own; leave "
                            "the attribute out");
      return success();
    }
    if (!request) {
      if (!strategy.empty() && split::refuseByDefault(op, strictFloat).empty())
        op->setAttr(kSplitAttr, StringAttr::get(&getContext(), strategy.getValue()));
      return success();
    }
    auto found = split::findReduction(op, request->loop);
    auto *reduction = std::get_if<split::Reduction>(&found);
    std::string reason = !reduction    ? std::get<std::string>(found)
                         : strictFloat ? split::refuseStrictly(*reduction)
                                       : "";
    if (!reason.empty())
      return op.emitError() << split::refusalOf(*request) << reason;
    if (request->perUnit && strategy == "reproducible") {
      request->perUnit = false;
      *request->parts *= split::kReproducibleUnits;
      op->setAttr(kSplitAttr, toAttribute(*request, &getContext()));
    }
    return success();
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
