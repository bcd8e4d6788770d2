// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/Pipeline.h"

#include "compiler/Stages/Ranks/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

static std::unique_ptr<Pass> resolveMeshes(const std::vector<std::string> &sizes) {
  ResolveMeshesOptions options;
  options.sizes.assign(sizes.begin(), sizes.end());
  return createResolveMeshes(options);
}

LogicalResult mlir::heddle::applyMeshSizes(ModuleOp module, const std::vector<std::string> &sizes) {
  if (sizes.empty())
    return success();
  PassManager pm(module.getContext());
  pm.addPass(resolveMeshes(sizes));
  return pm.run(module);
}

void mlir::heddle::buildRanksPipeline(OpPassManager &pm, const RanksOptions &options) {
  pm.addPass(resolveMeshes(options.meshSizes));
  // So that sizes are followed through the user's loops, too.
  pm.addPass(createKeepShapes());
  // On the program as the user wrote it, so that errors speak of it. What later passes do they do on all ranks alike.
  pm.addPass(createVerifyUniform());
  // Before their dimensions are brought to the front; all ranks cut alike.
  OverlapOptions overlap;
  overlap.pieces = options.pieces;
  pm.addPass(createOverlap(overlap));
  pm.addPass(createLowerCollectives());
  // By the sizes that stand beside collectives in leading form.
  pm.addPass(createKeepShapes());
  pm.addPass(createVerifyRanks());
}
