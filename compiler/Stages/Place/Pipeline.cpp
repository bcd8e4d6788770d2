// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Place/Pipeline.h"

#include "compiler/Stages/Place/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

void mlir::heddle::buildPlacePipeline(OpPassManager &pm, const PlaceOptions &options) {
  if (options.byCost)
    pm.addPass(createPlaceByCost());
  pm.addPass(createAssignQueues());
  pm.addPass(createAssignAffinities());
  // Behind all that says where a dispatch has to be.
  if (options.overlapBranches)
    pm.addPass(createOverlapBranches());
  pm.addPass(createNoteWork());
  pm.addPass(createVerifyPlace());
}
