// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/IR/FlowAttrs.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Streams/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_VERIFYSTREAMS
#include "compiler/Stages/Streams/Passes.h.inc"
} // namespace mlir::heddle

// The streams that `streams-normalize-loops` noted in the loop's location; null for any other loop.
static flow::StreamsAttr findNoted(Location loc) {
  auto fused = dyn_cast<FusedLoc>(loc);
  return fused ? dyn_cast_if_present<flow::StreamsAttr>(fused.getMetadata()) : flow::StreamsAttr();
}

namespace {

struct VerifyStreams : mlir::heddle::impl::VerifyStreamsBase<VerifyStreams> {
  void runOnOperation() override {
    bool isValid = true;
    getOperation().walk([&](Operation *op) {
      if (Attribute mark = op->getAttr(kStreamAttr)) {
        op->emitError() << "still has heddle.stream = " << mark << ": no loop over streams was made of it";
        isValid = false;
      }
      auto loop = dyn_cast<scf::ForOp>(op);
      flow::StreamsAttr noted = loop ? findNoted(loop.getLoc()) : flow::StreamsAttr();
      if (noted && loop->getAttr(kStreamsAttr) != noted) {
        loop.emitError() << "ran over streams, heddle.streams = " << noted << ", and lost the attribute";
        isValid = false;
      }
    });
    if (!isValid)
      signalPassFailure();
  }
};

} // namespace
