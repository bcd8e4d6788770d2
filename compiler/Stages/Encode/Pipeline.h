// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stage `encode`: how values lie in memory. Convolutions compute with channels last; transposes go to the edges.
#ifndef HEDDLE_COMPILER_STAGES_ENCODE_PIPELINE_H
#define HEDDLE_COMPILER_STAGES_ENCODE_PIPELINE_H

#include "mlir/Pass/PassManager.h"

namespace mlir::heddle {

void buildEncodePipeline(OpPassManager &pm);

// Data tiling: what is laid out for which use. Last in the stage: other passes on tensors know nothing of encodings.
void buildDataTilingPipeline(OpPassManager &pm);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_ENCODE_PIPELINE_H
