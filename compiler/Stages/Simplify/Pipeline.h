// Stage `simplify`: what is true on every device: folds, sizes known, reshapes out of the way, elementwise ops fused.
#ifndef HEDDLE_COMPILER_STAGES_SIMPLIFY_PIPELINE_H
#define HEDDLE_COMPILER_STAGES_SIMPLIFY_PIPELINE_H

#include "mlir/Pass/PassManager.h"

namespace mlir::heddle {

void buildSimplifyPipeline(OpPassManager &pm);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_SIMPLIFY_PIPELINE_H
