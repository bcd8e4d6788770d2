// Stage `place`: gives every dispatch one device.
#ifndef HEDDLE_COMPILER_STAGES_PLACE_PIPELINE_H
#define HEDDLE_COMPILER_STAGES_PLACE_PIPELINE_H

#include "mlir/Pass/PassManager.h"

namespace mlir::heddle {

void buildPlacePipeline(OpPassManager &pm);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_PLACE_PIPELINE_H
