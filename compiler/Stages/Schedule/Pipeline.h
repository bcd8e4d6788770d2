// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stage `schedule`: tensors become buffers, streams and events (Host IR); memory is planned; binding times are known.
#ifndef HEDDLE_COMPILER_STAGES_SCHEDULE_PIPELINE_H
#define HEDDLE_COMPILER_STAGES_SCHEDULE_PIPELINE_H

#include "mlir/Pass/PassManager.h"

namespace mlir::heddle {

// In: public func.func whose bodies hold dispatches, transfers, parameters, checks, reshapes, index arithmetic and scf.
// Out: a verified host.func for each; executables, parameters and devices stay.
void buildSchedulePipeline(OpPassManager &pm);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_SCHEDULE_PIPELINE_H
