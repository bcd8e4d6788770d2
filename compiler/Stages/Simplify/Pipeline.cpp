// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Simplify/Pipeline.h"

#include "compiler/Dialect/Flow/Transforms/Passes.h"
#include "compiler/Dialect/Rewrite.h"
#include "compiler/Stages/Simplify/Passes.h"

#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

void mlir::heddle::buildSimplifyPipeline(OpPassManager &pm, const SimplifyOptions &options) {
  pm.addPass(createElideTransfers({options.placeByCost}));
  // Before any rewrite: none looks through a transfer, so that what runs on two devices is never made one op.
  if (!options.placeByCost)
    pm.addPass(createMaterializeTransfers());
  pm.addPass(createMaterializeQueues());
  // After loops over streams, which cut it as one op; before anything that fuses.
  pm.addPass(createDecomposeSoftmax());
  pm.addPass(createDecomposeGrouped());
  pm.addNestedPass<func::FuncOp>(createConvertElementwiseToLinalgPass());
  pm.addPass(createCanonicalizerPass(ofStructured()));
  pm.addPass(createCSEPass());
  // Loops and operand dimensions of size 1 go, so that a broadcast is a map and not a shape.
  pm.addNestedPass<func::FuncOp>(createLinalgFoldUnitExtentDimsPass());
  pm.addPass(createCanonicalizerPass(ofStructured()));
  // Before fusion: a reshape between two elementwise ops would keep them apart.
  pm.addPass(createSinkReshapes());
  // A tensor.dim is a use and would keep its operand from being fused.
  pm.addPass(createResolveDims());
  pm.addPass(createCSEPass());
  pm.addPass(createFuseElementwise());
  pm.addPass(createInlineReads());
  // After fusion: one-hot rows, and what is applied to a contraction's result, are one op each.
  pm.addPass(createOneHotToGather());
  pm.addPass(createFoldScales());
  pm.addPass(createSplitWindows());
  pm.addPass(createResolveDims());
  pm.addPass(createCanonicalizerPass(ofStructured()));
  pm.addPass(createCSEPass());
}
