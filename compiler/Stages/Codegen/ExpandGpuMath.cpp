// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Math/MathExpansion.h"
#include "compiler/Stages/Codegen/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_EXPANDGPUMATH
#include "compiler/Stages/Codegen/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct ExpandGpuMath : mlir::heddle::impl::ExpandGpuMathBase<ExpandGpuMath> {
  void runOnOperation() override {
    // A fused multiply-add may be rounded twice on a GPU.
    codegen::MathFeatures features;
    features.fma = false;
    features.mayFuse = true;
    if (failed(codegen::MathExpansion(&getContext(), features).run(getOperation())))
      signalPassFailure();
  }
};

} // namespace
