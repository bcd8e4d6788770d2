// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/Passes.h"
#include "compiler/Stages/Ranks/Uniformity.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_VERIFYUNIFORM
#include "compiler/Stages/Ranks/Passes.h.inc"
} // namespace mlir::heddle

// What decides whether, and how often, an op inside of `op` is met; no values: it is met once, with the op. None: the
// op's body is no place for a collective.
static std::optional<SmallVector<Value>> getConditions(Operation *op) {
  using Values = SmallVector<Value>;
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return Values{branch.getCondition()};
  if (auto branch = dyn_cast<scf::IndexSwitchOp>(op))
    return Values{branch.getArg()};
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return Values{loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return Values{loop.getConditionOp().getCondition()};
  return isa<scf::ExecuteRegionOp, func::FuncOp>(op) ? std::optional(Values{}) : std::nullopt;
}

// Where what differs comes from.
static void noteSource(InFlightDiagnostic &error, Value source) {
  if (!source)
    return;
  auto argument = dyn_cast<BlockArgument>(source);
  if (argument && isa<func::FuncOp>(argument.getOwner()->getParentOp()))
    error.attachNote(source.getLoc()) << "argument " << argument.getArgNumber()
                                      << " is each rank's own there; say heddle.sharding where it is equal";
  else
    error.attachNote(source.getLoc()) << "it differs by this";
}

static Uniformity::Axes intersect(Uniformity::Axes a, const Uniformity::Axes &b) {
  a &= b;
  return a;
}

namespace {

struct VerifyUniform : mlir::heddle::impl::VerifyUniformBase<VerifyUniform> {
  void runOnOperation() override {
    bool isUniform = true;
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      SmallVector<flow::CollectiveOpInterface> collectives;
      func.walk([&](flow::CollectiveOpInterface op) { collectives.push_back(op); });
      if (collectives.empty())
        continue;
      Uniformity uniformity(func);
      for (flow::CollectiveOpInterface op : collectives)
        isUniform &= succeeded(verifyPlace(op, uniformity)) && succeeded(verifySizes(op, uniformity));
    }
    if (!isUniform)
      signalPassFailure();
  }

private:
  LogicalResult verifyPlace(flow::CollectiveOpInterface op, const Uniformity &uniformity) {
    Uniformity::Axes joined = uniformity.getAxes(op);
    for (Operation *around = op->getParentOp(); !isa<ModuleOp>(around); around = around->getParentOp()) {
      std::optional<SmallVector<Value>> conditions = getConditions(around);
      if (!conditions) {
        InFlightDiagnostic error = op->emitError() << "stands in the body of " << around->getName()
                                                   << "; a collective stands in a function, a branch or a loop of scf";
        error.attachNote(around->getLoc()) << "this body";
        return error;
      }
      for (Value condition : *conditions) {
        Uniformity::Axes differs = intersect(uniformity.getContent(condition), joined);
        if (differs.none())
          continue;
        bool isLoop = isa<LoopLikeOpInterface>(around);
        InFlightDiagnostic error = op->emitError()
                                   << "may be met by some ranks of its group only: "
                                   << (isLoop ? "the trip count of the loop" : "the condition of the branch")
                                   << " around it may differ along " << uniformity.describe(differs);
        error.attachNote(around->getLoc()) << (isLoop ? "the loop" : "the branch");
        noteSource(error, uniformity.findSource(condition, differs));
        return error;
      }
    }
    return success();
  }

  // Members move pieces of one size, but for a dimension that is cut otherwise, which they agree on how.
  LogicalResult verifySizes(flow::CollectiveOpInterface op, const Uniformity &uniformity) {
    Uniformity::Axes joined = uniformity.getAxes(op);
    auto refuse = [&](const Uniformity::Axes &differs, Value source) {
      InFlightDiagnostic error = op->emitError() << "has sizes that may differ along " << uniformity.describe(differs)
                                                 << ", and all members of its group move pieces of one size";
      noteSource(error, source);
      return error;
    };
    for (Value value : op.getCut())
      if (Uniformity::Axes differs = intersect(uniformity.getContent(value), joined); differs.any()) {
        InFlightDiagnostic error = op->emitError()
                                   << "is cut by a number that may differ along " << uniformity.describe(differs)
                                   << ", and all members of its group cut alike";
        noteSource(error, uniformity.findSource(value, differs));
        return error;
      }
    for (bool ofOperand : {true, false})
      for (Value size : getSharedSizes(op, ofOperand))
        if (Uniformity::Axes differs = intersect(uniformity.getContent(size), joined); differs.any())
          return refuse(differs, uniformity.findSource(size, differs));
    for (int64_t dim = 0; dim < op.getOperandType().getRank(); ++dim) {
      if (flow::isOwnPiece(op, dim, /*ofOperand=*/true))
        continue;
      if (Uniformity::Axes differs = intersect(uniformity.getSize(op.getOperand(), dim), joined); differs.any())
        return refuse(differs, uniformity.findSourceOfSize(op.getOperand(), dim, differs));
    }
    return success();
  }

  // The sizes that stand beside the op, but for those in which members may differ.
  static SmallVector<Value> getSharedSizes(flow::CollectiveOpInterface op, bool ofOperand) {
    RankedTensorType type = ofOperand ? op.getOperandType() : op.getResultType();
    OperandRange dims = ofOperand ? op.getOperandDims() : op.getResultDims();
    SmallVector<Value> sizes;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim) && !flow::isOwnPiece(op, dim, ofOperand))
        sizes.push_back(dims[type.getDynamicDimIndex(dim)]);
    return sizes;
  }
};

} // namespace
