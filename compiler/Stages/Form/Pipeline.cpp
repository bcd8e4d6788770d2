#include "compiler/Stages/Form/Pipeline.h"

#include "compiler/Stages/Form/Passes.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

void mlir::heddle::buildFormPipeline(OpPassManager &pm) {
  pm.addPass(createHoistConstants());
  pm.addPass(createFormRegions());
  // Before outlining: index arithmetic that two regions share is computed once on the host.
  pm.addPass(createCSEPass());
  pm.addPass(createOutlineExecutables());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createVerifyForm());
}
