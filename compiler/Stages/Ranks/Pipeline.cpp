// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/Pipeline.h"

#include "compiler/Stages/Ranks/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

static std::unique_ptr<Pass> resolveMeshes(const std::vector<std::string> &sizes, bool declare = false) {
  ResolveMeshesOptions options;
  options.declare = declare;
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
  pm.addPass(resolveMeshes(options.meshSizes, options.chooseShardings));
  if (options.chooseShardings)
    pm.addPass(createChooseShardings());
  pm.addPass(createPropagate());
  // From here on the program is that of one rank.
  pm.addPass(createPartition());
  // The collectives that brings, and views of meshes, get their devices.
  pm.addPass(resolveMeshes({}));
  // So that sizes are followed through the user's loops, too.
  pm.addPass(createKeepShapes());
  // On the program as the user wrote it, so that errors speak of it. What later passes do they do on all ranks alike.
  pm.addPass(createVerifyUniform());
  // Before their dimensions are brought to the front; all ranks cut alike.
  OverlapOptions overlap;
  overlap.pieces = options.pieces;
  pm.addPass(createOverlap(overlap));
  pm.addPass(createLowerCollectives());
  // With the transposes that this brings.
  pm.addPass(createSkipOthers());
  // By the sizes that stand beside collectives in leading form.
  pm.addPass(createKeepShapes());
  pm.addPass(createVerifyRanks());
}
