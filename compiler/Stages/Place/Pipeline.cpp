#include "compiler/Stages/Place/Pipeline.h"

#include "compiler/Stages/Place/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

void mlir::heddle::buildPlacePipeline(OpPassManager &pm) {
  pm.addPass(createAssignAffinities());
  pm.addPass(createVerifyPlace());
}
