// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stage `partition`, its first half: meshes and collectives of ranks. Design: docs/design/ranks.md.
#ifndef HEDDLE_COMPILER_STAGES_RANKS_PIPELINE_H
#define HEDDLE_COMPILER_STAGES_RANKS_PIPELINE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <string>
#include <vector>

namespace mlir::heddle {

struct RanksOptions {
  std::vector<std::string> meshSizes; // AXIS=SIZE, of meshes whose sizes are free
  bool chooseShardings = false;       // by a cost model, on a mesh of these sizes where there is none
  int64_t pieces = 0;                 // see ranks-overlap
};

void buildRanksPipeline(OpPassManager &pm, const RanksOptions &options);

// Only gives free sizes their values, for who runs a program of an earlier stage. Fails with diagnostics.
LogicalResult applyMeshSizes(ModuleOp module, const std::vector<std::string> &sizes);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_RANKS_PIPELINE_H
