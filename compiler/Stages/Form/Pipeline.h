// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stage `form`: decides which ops share a dispatch, and outlines each as an executable.
#ifndef HEDDLE_COMPILER_STAGES_FORM_PIPELINE_H
#define HEDDLE_COMPILER_STAGES_FORM_PIPELINE_H

#include "mlir/Pass/PassManager.h"

namespace mlir::heddle {

struct FormOptions {
  bool placeByCost = false; // `--place=auto`: only pins keep ops apart
  // Adds passes between what shares a dispatch is decided and regions are outlined (long reductions are split here).
  std::function<void(OpPassManager &)> rewriteRegions = {};
};

void buildFormPipeline(OpPassManager &pm, const FormOptions &options);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_FORM_PIPELINE_H
