#include "compiler/Stages/Encode/Convolution.h"
#include "compiler/Stages/Encode/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_VERIFYENCODE
#include "compiler/Stages/Encode/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct VerifyEncode : heddle::impl::VerifyEncodeBase<VerifyEncode> {
  void runOnOperation() override {
    WalkResult walk = getOperation().walk([](linalg::LinalgOp op) {
      if (auto generic = dyn_cast<linalg::GenericOp>(*op)) {
        std::optional<encode::Layouts> layouts = encode::channelsLastLayouts(generic);
        if (layouts && !encode::areIdentity(*layouts)) {
          op->emitError("a convolution whose channels are not last after stage 'encode'");
          return WalkResult::interrupt();
        }
      }
      if (auto transpose = dyn_cast<linalg::TransposeOp>(*op))
        if (transpose.getInput().getDefiningOp<linalg::TransposeOp>()) {
          op->emitError("a transpose of a transpose after stage 'encode'");
          return WalkResult::interrupt();
        }
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
