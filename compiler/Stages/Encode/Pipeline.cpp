// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Encode/Pipeline.h"

#include "compiler/Dialect/Flow/Transforms/Passes.h"
#include "compiler/Dialect/Intent/Transforms/Passes.h"
#include "compiler/Dialect/Rewrite.h"
#include "compiler/Stages/Encode/Passes.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

// Channels last, transposes at the edges.
static void addLayouts(OpPassManager &pm) {
  pm.addPass(createChannelsLast());
  // Sizes of what the pass put in are those of the model's values, so that equal transposes are one.
  pm.addPass(createResolveDims());
  pm.addPass(createCSEPass());
  pm.addPass(createPropagateTransposes());
  pm.addPass(createPadChannels());
  // Last: its views would stand between a transpose and its inverse.
  pm.addPass(createPointwiseToMatmul());
  pm.addPass(createResolveDims());
  pm.addPass(createCanonicalizerPass(ofStructured()));
  pm.addPass(createCSEPass());
  pm.addPass(createVerifyEncode());
}

// The dimensions and operands that contractions are computed with.
static void addContractions(OpPassManager &pm, const EncodeOptions &options) {
  // Before views move: roundings go where the values are computed.
  pm.addPass(createNarrowProducts({options.precision}));
  // Once more: products of all positions stand between views, which would keep their epilogues apart.
  pm.addPass(createSinkReshapes());
  // What that left collapsed is of several groups; not before, it would be collapsed again.
  pm.addPass(createExpandEpilogues());
  pm.addPass(createResolveDims());
  pm.addPass(createCSEPass());
  pm.addPass(createKeepNarrow());
  // Before contractions take their operands as they are: what was made of constants is computed once.
  pm.addPass(createEvaluateConstants());
  // After all that knows contractions by name; dispatch formation finds attention by it.
  pm.addPass(createExpandBatches());
  pm.addPass(createFewRows({options.fewRows}));
  // Its transposes fold into products.
  pm.addPass(createBlockConstants());
  pm.addPass(createFoldTransposes());
  // Nothing that knows convolutions comes after it; the weights' transform is evaluated below.
  pm.addPass(createWinograd({options.winograd}));
  // Views of constants that they left, constants in blocks, and weights transformed.
  pm.addPass(createEvaluateConstants());
  // Nothing above looks into products with quantised weights.
  pm.addPass(createDecomposeProducts());
  pm.addPass(createResolveDims());
  pm.addPass(createCanonicalizerPass(ofStructured()));
  pm.addPass(createCSEPass());
}

// Data tiling: what is laid out for which use. Other passes on tensors know nothing of encodings.
static void addEncodings(OpPassManager &pm) {
  pm.addPass(createSetEncodings());
  // Values that several ops use alike are set once, which lets the sets move.
  pm.addPass(createCSEPass());
  pm.addPass(createPropagateEncodings());
  pm.addPass(createCancelEncodings());
  pm.addPass(createSetSliced());
  pm.addPass(createHoistEncodings());
  pm.addPass(createCSEPass());
  pm.addPass(createVerifyEncode({/*layouts=*/false}));
}

void mlir::heddle::buildEncodePipeline(OpPassManager &pm, const EncodeOptions &options) {
  addLayouts(pm);
  addContractions(pm, options);
  // Plain tensors are rewritten no more from here on.
  if (options.chooseReductions)
    options.chooseReductions(pm);
  if (options.setEncodings)
    addEncodings(pm);
  if (options.finish)
    options.finish(pm);
}
