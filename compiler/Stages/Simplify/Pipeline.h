// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stage `simplify`: what is true on every device: folds, sizes known, reshapes out of the way, elementwise ops fused.
#ifndef HEDDLE_COMPILER_STAGES_SIMPLIFY_PIPELINE_H
#define HEDDLE_COMPILER_STAGES_SIMPLIFY_PIPELINE_H

#include "mlir/Pass/PassManager.h"

namespace mlir::heddle {

struct SimplifyOptions {
  bool placeByCost = false; // `--place=auto`: where values cross is not decided yet
};

void buildSimplifyPipeline(OpPassManager &pm, const SimplifyOptions &options);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_SIMPLIFY_PIPELINE_H
