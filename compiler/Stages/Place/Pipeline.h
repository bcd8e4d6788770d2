// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stage `place`: gives every dispatch one device.
#ifndef HEDDLE_COMPILER_STAGES_PLACE_PIPELINE_H
#define HEDDLE_COMPILER_STAGES_PLACE_PIPELINE_H

#include "mlir/Pass/PassManager.h"

namespace mlir::heddle {

struct PlaceOptions {
  bool byCost = false;         // `--place=auto`
  bool overlapBranches = true; // `--strategy=streams:…`
};

void buildPlacePipeline(OpPassManager &pm, const PlaceOptions &options);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_PLACE_PIPELINE_H
