// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which strategy computes one value of a kernel, and how: the order of its dimensions, tiles and vectors.
#ifndef HEDDLE_COMPILER_CODEGEN_PLAN_NESTPLANNER_H
#define HEDDLE_COMPILER_CODEGEN_PLAN_NESTPLANNER_H

#include "compiler/Codegen/Plan/Nest.h"

namespace mlir::heddle::codegen {

// Fails, with a message, where `tile` cannot be. `apart`: dimensions of the value, PlanCommon::apart; none where it is
// empty.
FailureOr<Nest> planNest(Value value, const NestAnalysis &analysis, const cpu::CpuFeatures &features,
                         const ContractionOverride &tile, llvm::SmallBitVector apart = {});

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_PLAN_NESTPLANNER_H
