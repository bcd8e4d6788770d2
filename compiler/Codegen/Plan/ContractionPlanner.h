// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which register tiles compute a nest whose only step is a reduction, and whether any do.
#ifndef HEDDLE_COMPILER_CODEGEN_PLAN_CONTRACTIONPLANNER_H
#define HEDDLE_COMPILER_CODEGEN_PLAN_CONTRACTIONPLANNER_H

#include "compiler/Codegen/Plan/Nest.h"

namespace mlir::heddle::codegen {

// Plans the tiles, dimensions and row classes of `nest`, the value of which has `type`; finishRowClasses completes the
// classes. False where it is no contraction, with `nest` half set. `refused`: the reason why `tile` cannot be used;
// else empty.
bool planContraction(Nest &nest, RankedTensorType type, const NestAnalysis &analysis, const cpu::CpuFeatures &features,
                     const ContractionOverride &tile, std::string &refused);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_PLAN_CONTRACTIONPLANNER_H
