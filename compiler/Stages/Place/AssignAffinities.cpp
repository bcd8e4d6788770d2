#include "compiler/Stages/Place/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_ASSIGNAFFINITIES
#include "compiler/Stages/Place/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct AssignAffinities : heddle::impl::AssignAffinitiesBase<AssignAffinities> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    device::GlobalOp device = device::getDefaultDevice(module);
    WalkResult walk = module.walk([&](flow::DispatchOp dispatch) {
      if (dispatch->hasAttr("heddle.affinity"))
        return WalkResult::advance();
      if (!device) {
        dispatch.emitError("no device to run on: the module declares none");
        return WalkResult::interrupt();
      }
      auto symbol = FlatSymbolRefAttr::get(device.getSymNameAttr());
      dispatch->setAttr("heddle.affinity", device::AffinityAttr::get(&getContext(), symbol));
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
