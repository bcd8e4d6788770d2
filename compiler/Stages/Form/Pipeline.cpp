// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Form/Pipeline.h"

#include "compiler/Dialect/Flow/Transforms/Passes.h"
#include "compiler/Stages/Form/Passes.h"

#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

void mlir::heddle::buildFormPipeline(OpPassManager &pm, const FormOptions &options) {
  // A branch that was folded away leaves choices between tensors (arith.select), which are work for a device.
  pm.addPass(createConvertElementwiseToLinalgPass());
  pm.addPass(createSplitTransposes());
  pm.addPass(createHoistConstants());
  pm.addPass(createFormRegions({options.placeByCost}));
  if (options.rewriteRegions)
    options.rewriteRegions(pm);
  pm.addPass(createCaptureSizes());
  // Before outlining: a size is one value, computed once on the host and known to be equal inside the executable.
  pm.addPass(createResolveDims());
  pm.addPass(createCSEPass());
  pm.addPass(createOutlineExecutables());
  // Not the one that makes sizes static by casts, which would drop encodings.
  pm.addPass(createCanonicalizerPass(GreedyRewriteConfig(), {"(anonymous namespace)::InferStaticShapeOfOperands"}));
  pm.addPass(createCSEPass());
  pm.addPass(createVerifyForm());
}
