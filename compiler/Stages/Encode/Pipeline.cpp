// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Encode/Pipeline.h"

#include "compiler/Dialect/Flow/Transforms/Passes.h"
#include "compiler/Stages/Encode/Passes.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

void mlir::heddle::buildEncodePipeline(OpPassManager &pm) {
  pm.addPass(createChannelsLast());
  // Sizes of what the pass put in are those of the model's values, so that equal transposes are one.
  pm.addPass(createResolveDims());
  pm.addPass(createCSEPass());
  pm.addPass(createPropagateTransposes());
  pm.addPass(createPadChannels());
  // Last: its views would stand between a transpose and its inverse.
  pm.addPass(createPointwiseToMatmul());
  pm.addPass(createResolveDims());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createVerifyEncode());
}

void mlir::heddle::buildDataTilingPipeline(OpPassManager &pm) {
  pm.addPass(createSetEncodings());
  // Values that several ops use alike are set once, which lets the sets move.
  pm.addPass(createCSEPass());
  pm.addPass(createPropagateEncodings());
  pm.addPass(createCancelEncodings());
  pm.addPass(createHoistEncodings());
  pm.addPass(createCSEPass());
  pm.addPass(createVerifyEncode({/*layouts=*/false}));
}
