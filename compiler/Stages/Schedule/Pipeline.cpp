// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Schedule/Pipeline.h"

#include "compiler/Dialect/Rewrite.h"
#include "compiler/Stages/Schedule/Passes.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

static void cleanUp(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass(ofStructured()));
  pm.addPass(createCSEPass());
}

void mlir::heddle::buildSchedulePipeline(OpPassManager &pm) {
  // Tensors still: dependences are plain to see, and no buffer is bound to an order.
  pm.addPass(createOrderIssue());
  pm.addPass(createBuildHostProgram());
  pm.addPass(createBindParameters());
  // Lives end at the last use that is left, so dead reads and duplicate views go first.
  cleanUp(pm.nest<host::FuncOp>());
  // Before lives have ends and streams have waits: both are those of what is left.
  pm.addPass(createUpdateInPlace());
  OpPassManager &func = pm.nest<host::FuncOp>();
  func.addPass(createFreeBuffers());
  // Buffers of loops over streams leave them with their frees.
  func.addPass(createSlotBuffers());
  // Moves frees to where other streams are done, so lives are known only from here on.
  func.addPass(createSynchronizeStreams());
  func.addPass(createPlanMemory());
  // A plan of constants folds to constant offsets, and equal views become one.
  cleanUp(func);
  pm.addPass(createVerifyHost());
}
