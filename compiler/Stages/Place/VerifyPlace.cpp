#include "compiler/Stages/Place/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_VERIFYPLACE
#include "compiler/Stages/Place/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct VerifyPlace : heddle::impl::VerifyPlaceBase<VerifyPlace> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    WalkResult walk = module.walk([&](flow::DispatchOp dispatch) {
      return failed(verify(module, dispatch)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }

  LogicalResult verify(ModuleOp module, flow::DispatchOp dispatch) {
    auto affinity = dispatch->getAttrOfType<device::AffinityAttr>("heddle.affinity");
    if (!affinity)
      return dispatch.emitError("has no device after placement");
    if (!module.lookupSymbol<device::GlobalOp>(affinity.getDevice().getAttr()))
      return dispatch.emitError() << "belongs on " << affinity.getDevice() << ", which is no device.global";
    for (Value operand : dispatch.getBindings()) {
      auto producer = operand.getDefiningOp<flow::DispatchOp>();
      if (producer && producer->getAttr("heddle.affinity") != affinity)
        return dispatch.emitError() << "runs on " << affinity.getDevice() << " but reads a value of "
                                    << producer->getAttr("heddle.affinity") << " without a flow.transfer";
    }
    return success();
  }
};

} // namespace
