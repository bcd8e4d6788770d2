// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Form/Pipeline.h"

#include "compiler/Dialect/Flow/Transforms/Passes.h"
#include "compiler/Dialect/Rewrite.h"
#include "compiler/Stages/Form/Passes.h"

#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

void mlir::heddle::buildFormPipeline(OpPassManager &pm, const FormOptions &options) {
  // A branch that was folded away leaves choices between tensors (arith.select), which are work for a device.
  pm.addPass(createConvertElementwiseToLinalgPass());
  pm.addPass(createPartLoops());
  pm.addPass(createSplitTransposes());
  pm.addPass(createHoistConstants());
  // Before regions: what writes into a concatenation is its own root.
  pm.addPass(createFillConcats());
  pm.addPass(createFormRegions({options.placeByCost}));
  if (options.rewriteRegions)
    options.rewriteRegions(pm);
  // Behind what makes several regions of one, which has another producer.
  pm.addPass(createCopyParts());
  pm.addPass(createCaptureSizes());
  // Before outlining: a size is one value, computed once on the host and known to be equal inside the executable.
  pm.addPass(createResolveDims());
  pm.addPass(createCSEPass());
  pm.addPass(createOutlineExecutables());
  // Not the one that makes sizes static by casts, which would drop encodings.
  pm.addPass(createCanonicalizerPass(ofStructured(), {"(anonymous namespace)::InferStaticShapeOfOperands"}));
  pm.addPass(createCSEPass());
  // Last: a result has its one reader, and executables that are alike are one.
  pm.addPass(createPitchResults());
  pm.addPass(createVerifyForm());
}
