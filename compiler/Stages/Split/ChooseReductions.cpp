#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Split/Passes.h"
#include "compiler/Stages/Split/Reduction.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_CHOOSEREDUCTIONS
#include "compiler/Stages/Split/Passes.h.inc"
} // namespace mlir::heddle

// Results of known size from which a reduction has workgroups for any processor, and the least length that is worth a
// merge.
static constexpr int64_t kMostResults = 1 << 14, kLeastReduced = 1 << 12;

static bool isWorthwhile(const split::Reduction &reduction) {
  split::KnownSize results = split::countResults(reduction.op), reduced = split::countReduced(reduction);
  return results.product <= kMostResults && (!reduced.isWhole || reduced.product >= kLeastReduced);
}

namespace {

struct ChooseReductions : heddle::impl::ChooseReductionsBase<ChooseReductions> {
  using ChooseReductionsBase::ChooseReductionsBase;

  void runOnOperation() override {
    WalkResult walk = getOperation().walk([&](linalg::LinalgOp op) {
      auto found = split::findReduction(op);
      auto *reduction = std::get_if<split::Reduction>(&found);
      bool isAsked = op->hasAttr(kSplitAttr);
      if (isAsked && !reduction)
        return WalkResult(op.emitError() << "has heddle.split, but cannot be split: " << std::get<std::string>(found));
      if (!isAsked && (strategy.empty() || !reduction || !isWorthwhile(*reduction)))
        return WalkResult::advance();
      if (!isAsked)
        op->setAttr(kSplitAttr, StringAttr::get(&getContext(), strategy.getValue()));
      op->setAttr(kKeepsLayoutAttr, UnitAttr::get(&getContext()));
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
