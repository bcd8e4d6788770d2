// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/CPU/Overwrites.h"
#include "compiler/Stages/Codegen/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_GENERALIZEOPS
#include "compiler/Stages/Codegen/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct GeneralizeOps : mlir::heddle::impl::GeneralizeOpsBase<GeneralizeOps> {
  void runOnOperation() override {
    if (failed(codegen::generalizeOps(getOperation())))
      signalPassFailure();
  }
};

} // namespace
