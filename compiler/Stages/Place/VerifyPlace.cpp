// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Transforms/Crossings.h"
#include "compiler/Stages/Place/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_VERIFYPLACE
#include "compiler/Stages/Place/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct VerifyPlace : mlir::heddle::impl::VerifyPlaceBase<VerifyPlace> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    WalkResult walk = getOperation().walk([&](flow::DispatchOp dispatch) {
      return failed(verify(symbols, dispatch)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    auto devices = getOperation().getOps<device::GlobalOp>();
    bool several = std::distance(devices.begin(), devices.end()) > 1;
    if (walk.wasInterrupted() || (several && failed(verifyUses())))
      signalPassFailure();
  }

  static LogicalResult verify(SymbolTable &symbols, flow::DispatchOp dispatch) {
    auto affinity = dispatch->getAttrOfType<device::AffinityAttr>(kAffinityAttr);
    if (!affinity)
      return dispatch.emitError("has no device after placement");
    if (!symbols.lookup<device::GlobalOp>(affinity.getDevice().getAttr()))
      return dispatch.emitError() << "belongs on " << affinity.getDevice() << ", which is not a device.global";
    if (affinity.getQueues().size() > 1)
      return dispatch.emitError() << "may still be issued on several queues, " << affinity
                                  << ": run place-assign-queues first";
    return success();
  }

  // Every use is where its value is.
  LogicalResult verifyUses() {
    auto affinities = flow::Affinities::of(getOperation(), /*isPlaced=*/true);
    if (failed(affinities))
      return failure();
    LogicalResult result = success();
    affinities->forEachUse([&](OpOperand &use, const flow::Placement &user) {
      if (failed(result))
        return;
      device::AffinityAttr needs = affinities->getAffinity(&getContext(), user.device);
      Attribute has = deviceOf(*affinities, use, user.device);
      if (has == needs)
        return;
      InFlightDiagnostic error = use.getOwner()->emitError();
      if (use.getOwner()->hasTrait<OpTrait::IsTerminator>() || use.getOwner()->getNumRegions() > 0)
        error << "hands a value on to " << needs.getDevice();
      else
        error << "runs on " << needs.getDevice() << " but reads a value";
      error << " of " << has << " without a flow.transfer";
      result = error;
    });
    return result;
  }

  // Where the value is, as far as the use is concerned.
  Attribute deviceOf(const flow::Affinities &affinities, OpOperand &use, unsigned device) {
    const flow::Placement *placement = affinities.find(use.get());
    if (!placement)
      return StringAttr::get(&getContext(), "no device");
    bool inPlace = flow::readsInPlace(affinities.getTopology(), placement->device, device, use);
    return affinities.getAffinity(&getContext(), inPlace ? device : placement->device);
  }
};

} // namespace
