// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stage `partition`: ops that are marked for streams become loops. Design: docs/design/stream-loops.md.
#ifndef HEDDLE_COMPILER_STAGES_STREAMS_PIPELINE_H
#define HEDDLE_COMPILER_STAGES_STREAMS_PIPELINE_H

#include "mlir/Pass/PassManager.h"

namespace mlir::heddle {

void buildStreamsPipeline(OpPassManager &pm);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_STREAMS_PIPELINE_H
