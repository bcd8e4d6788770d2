// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/HideStreams.h"
#include "compiler/Stages/Import/KeepAffinities.h"
#include "compiler/Stages/Import/Passes.h"

#include "compiler/Stages/Import/StableHlo/Importer.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_LOWERSTABLEHLO
#include "compiler/Stages/Import/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct LowerStablehlo : mlir::heddle::impl::LowerStablehloBase<LowerStablehlo> {
  using LowerStablehloBase::LowerStablehloBase;
  void runOnOperation() override {
    if (!hlo::hasStableHlo(getOperation()))
      return;
    SmallVector<Location> streamed = hideStreams(getOperation());
    hideAffinities(getOperation());
    if (failed(hlo::convertStableHlo(getOperation(), SmallVector<std::string>(meshSizes.begin(), meshSizes.end()))))
      return signalPassFailure();
    restoreAffinities(getOperation());
    if (failed(restoreStreams(getOperation(), streamed)))
      return signalPassFailure();
  }
};

} // namespace
