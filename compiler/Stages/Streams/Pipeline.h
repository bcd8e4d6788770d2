// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stage `partition`: ops that are marked for streams become loops. Design: docs/design/stream-loops.md.
#ifndef HEDDLE_COMPILER_STAGES_STREAMS_PIPELINE_H
#define HEDDLE_COMPILER_STAGES_STREAMS_PIPELINE_H

#include "mlir/Pass/PassManager.h"

namespace mlir::heddle {

struct StreamsOptions {
  bool strictFloat = false; // sums and products of floats keep their order
};

void buildStreamsPipeline(OpPassManager &pm, const StreamsOptions &options);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_STREAMS_PIPELINE_H
