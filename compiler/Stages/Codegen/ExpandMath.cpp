// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Math/MathExpansion.h"
#include "compiler/Codegen/Math/QuantizationPatterns.h"
#include "compiler/Stages/Codegen/Passes.h"
#include "compiler/Target/CPU/CpuFeatures.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <map>
#include <memory>

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_EXPANDMATH
#include "compiler/Stages/Codegen/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct ExpandMath : mlir::heddle::impl::ExpandMathBase<ExpandMath> {
  void runOnOperation() override {
    FailureOr<cpu::CpuFeatures> cpu = cpu::getFeatures(getOperation(), getOperation().getTarget());
    if (failed(cpu))
      return signalPassFailure();
    codegen::MathFeatures features{cpu->fma, cpu->rounding, cpu->bfloatRounding, cpu->halfConversions, cpu->scaling};
    codegen::rewriteQuantizationSteps(getOperation(), features.fma);
    std::shared_ptr<const codegen::MathExpansion> &expansion = expansions[features];
    if (!expansion)
      expansion = std::make_shared<codegen::MathExpansion>(&getContext(), features);
    if (failed(expansion->run(getOperation())))
      signalPassFailure();
  }

  std::map<codegen::MathFeatures, std::shared_ptr<const codegen::MathExpansion>> expansions;
};

} // namespace
