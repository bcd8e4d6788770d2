// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/IR/FlowShardings.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Heddle/IR/Shards.h"
#include "compiler/Stages/Ranks/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_VERIFYRANKS
#include "compiler/Stages/Ranks/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct VerifyRanks : mlir::heddle::impl::VerifyRanksBase<VerifyRanks> {
  void runOnOperation() override {
    if (failed(verifyNoWhole()) || failed(verifyCollectives()))
      signalPassFailure();
  }

private:
  LogicalResult verifyNoWhole() {
    WalkResult walked = getOperation().walk([&](Operation *op) -> WalkResult {
      if (isa<flow::ShardOp, flow::PartOp, flow::WholeOp>(op))
        return op->emitError() << "is about a whole value, which ranks-partition has left";
      for (StringRef name :
           {kShardLoopsAttr, kShardPartialAttr, kShardWholeAttr, kShardCarriedAttr, kShardCarriedInAttr})
        if (op->hasAttr(name))
          return op->emitError() << "has " << name << ", which ranks-partition has left";
      return WalkResult::advance();
    });
    return failure(walked.wasInterrupted());
  }

  LogicalResult verifyCollectives() {
    WalkResult walked = getOperation().walk([&](flow::CollectiveOpInterface op) -> WalkResult {
      if (std::optional<StringRef> name = flow::findNotLeading(op))
        return op->emitError() << "is not in leading form: " << *name << " "
                               << op->getAttrOfType<IntegerAttr>(*name).getInt();
      if (!op->getAttrOfType<device::AffinityAttr>(kAffinityAttr) && device::getDefaultDevice(getOperation()))
        return op->emitError() << "names no device";
      return WalkResult::advance();
    });
    return failure(walked.wasInterrupted());
  }
};

} // namespace
