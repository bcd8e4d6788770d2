// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dispatches of a module as a problem for the cost model.
#ifndef HEDDLE_COMPILER_STAGES_PLACE_COSTPROBLEM_H
#define HEDDLE_COMPILER_STAGES_PLACE_COSTPROBLEM_H

#include "compiler/Dialect/Flow/Analysis/AffinityGraph.h"
#include "compiler/Stages/Place/CostModel.h"

namespace mlir::heddle {

struct ModuleCosts {
  CostProblem problem;
  std::vector<unsigned> tasks; // of the graph's nodes
};

// Work is counted from the executables' structured ops, dynamic dimensions taken as expected (SizeEstimates.h); what a
// dispatch gathers from a table counts as much as it gives.
ModuleCosts getCosts(ModuleOp module, const flow::AffinityGraph &graph);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_PLACE_COSTPROBLEM_H
