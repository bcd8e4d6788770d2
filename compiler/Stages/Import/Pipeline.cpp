// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Import.h"

#include "compiler/Dialect/Flow/Transforms/Passes.h"
#include "compiler/Stages/Import/Passes.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

void mlir::heddle::buildImportPipeline(OpPassManager &pm, const ImportOptions &options) {
  // Before anything is inlined, lowerings do it too.
  pm.addPass(createSpecializeCalls());
  pm.addPass(createLowerTosa());
  LowerStablehloOptions stablehlo;
  stablehlo.meshSizes.assign(options.meshSizes.begin(), options.meshSizes.end());
  pm.addPass(createLowerStablehlo(stablehlo));
  pm.addPass(createLowerSwitches());
  pm.addPass(createConvertUnsigned());
  // Before the first fold, which inlining does.
  pm.addPass(createKeepSizes());
  pm.addPass(createKeepStreams());
  pm.addPass(createKeepIndexChecks());
  // A program is one function from here on; what nobody calls or loads is gone.
  pm.addPass(createInlinerPass());
  pm.addPass(createSymbolDCEPass());
  // After inlining, whose folds move the casts of fixed arguments to the end.
  if (!options.dims.empty())
    pm.addPass(createRefineResults());
  // No calls are left, so each entry point's loads and stores are its own.
  pm.addPass(createConvertGlobals());
  BindStateOptions state;
  state.states.assign(options.states.begin(), options.states.end());
  state.donations.assign(options.donations.begin(), options.donations.end());
  pm.addPass(createBindState(state));
  pm.addPass(createNameDimensions());
  // Every argument and result has a name; ONNX models have theirs applied when they are read, where values have names.
  if (!options.shardFile.empty())
    pm.addPass(createApplyShardFile({options.shardFile}));
  pm.addPass(createVerifyImport());
}
