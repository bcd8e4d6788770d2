// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/HideStreams.h"
#include "compiler/Stages/Import/KeepAffinities.h"
#include "compiler/Stages/Import/Passes.h"
#include "compiler/Stages/Import/Tosa/Importer.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_LOWERTOSA
#include "compiler/Stages/Import/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct LowerTosa : mlir::heddle::impl::LowerTosaBase<LowerTosa> {
  void runOnOperation() override {
    if (!mlir::heddle::tosa::hasTosa(getOperation()))
      return;
    auto run = [&](OpPassManager &pm) -> LogicalResult {
      SmallVector<Location> streamed = hideStreams(getOperation());
      hideAffinities(getOperation());
      if (failed(runPipeline(pm, getOperation())))
        return failure();
      restoreAffinities(getOperation());
      return restoreStreams(getOperation(), streamed);
    };
    if (failed(mlir::heddle::tosa::convertTosa(getOperation(), run)))
      signalPassFailure();
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    LowerTosaBase::getDependentDialects(registry);
    registry.insert<mlir::tosa::TosaDialect, flow::FlowDialect, intent::IntentDialect>();
  }
};

} // namespace
