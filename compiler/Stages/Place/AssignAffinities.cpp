// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Transforms/Crossings.h"
#include "compiler/Dialect/Flow/Transforms/Passes.h"
#include "compiler/Stages/Place/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_ASSIGNAFFINITIES
#include "compiler/Stages/Place/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct AssignAffinities : mlir::heddle::impl::AssignAffinitiesBase<AssignAffinities> {
  void runOnOperation() override {
    auto devices = llvm::to_vector(getOperation().getOps<device::GlobalOp>());
    if (failed(devices.size() > 1 ? assignMany() : assignOne(devices.empty() ? device::GlobalOp() : devices.front())))
      signalPassFailure();
  }

  // Nothing to decide, nothing to move.
  LogicalResult assignOne(device::GlobalOp device) {
    device::AffinityAttr affinity;
    if (device)
      affinity = device::AffinityAttr::get(&getContext(), FlatSymbolRefAttr::get(device.getSymNameAttr()));
    WalkResult walk = getOperation().walk([&](flow::DispatchOp dispatch) {
      if (dispatch->hasAttr(kAffinityAttr))
        return WalkResult::advance();
      if (!affinity) {
        dispatch.emitError("no device to run on: the module declares none");
        return WalkResult::interrupt();
      }
      dispatch->setAttr(kAffinityAttr, affinity);
      return WalkResult::advance();
    });
    return failure(walk.wasInterrupted());
  }

  LogicalResult assignMany() {
    auto affinities = flow::Affinities::of(getOperation());
    if (failed(affinities))
      return failure();
    affinities->reportCompetitions();
    affinities->reportLoops();
    if (!flow::placeOps(getOperation(), *affinities))
      return success();
    OpPassManager sizes(ModuleOp::getOperationName());
    sizes.addPass(createResolveDims());
    sizes.addPass(createCSEPass()); // equal sizes are one value
    return runPipeline(sizes, getOperation());
  }
};

} // namespace
