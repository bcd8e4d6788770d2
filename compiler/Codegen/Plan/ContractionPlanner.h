// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which register tiles compute a value whose only step is a reduction, and whether any do.
#ifndef HEDDLE_COMPILER_CODEGEN_PLAN_CONTRACTIONPLANNER_H
#define HEDDLE_COMPILER_CODEGEN_PLAN_CONTRACTIONPLANNER_H

#include "compiler/Codegen/Plan/Nest.h"

namespace mlir::heddle::codegen {

struct PlannedContraction {
  ContractionPlan plan;
  std::vector<RowClass> fewer;
  std::string refused; // the reason why the tile that was set cannot be used; else empty
};

// Plans the tiles, dimensions and row classes of the value that `common` has and `step` computes. None where it is no
// contraction.
std::optional<PlannedContraction> planContraction(const PlanCommon &common, const RowStep &step,
                                                  const NestAnalysis &analysis, const cpu::CpuFeatures &features,
                                                  const ContractionOverride &tile);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_PLAN_CONTRACTIONPLANNER_H
