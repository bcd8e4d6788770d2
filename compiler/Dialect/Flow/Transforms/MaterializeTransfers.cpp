// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Transforms/Crossings.h"
#include "compiler/Dialect/Flow/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_MATERIALIZETRANSFERS
#include "compiler/Dialect/Flow/Transforms/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct MaterializeTransfers : mlir::heddle::impl::MaterializeTransfersBase<MaterializeTransfers> {
  void runOnOperation() override {
    auto devices = getOperation().getOps<device::GlobalOp>();
    if (std::distance(devices.begin(), devices.end()) < 2)
      return;
    auto affinities = flow::Affinities::of(getOperation());
    if (failed(affinities))
      return signalPassFailure();
    affinities->reportCompetitions();
    flow::insertTransfers(getOperation(), *affinities);
  }
};

} // namespace
