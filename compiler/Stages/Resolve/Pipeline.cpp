// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Resolve/Pipeline.h"

#include "compiler/Dialect/Flow/Transforms/Passes.h"
#include "compiler/Stages/Resolve/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

void mlir::heddle::buildResolvePipeline(OpPassManager &pm, const ResolveOptions &options) {
  pm.addPass(createSplitAlternatives({options.resolver}));
  pm.addPass(createResolveEncodings({options.resolver}));
  // Dispatch formation told apart what this made equal.
  pm.addPass(createMergeExecutables());
  // After it: what was merged is run by the devices of both.
  pm.addPass(createAssignExecutableTargets());
  pm.addPass(createPackParameters({options.sizesOnly}));
  pm.addPass(createVerifyResolve());
}

void mlir::heddle::buildEarlyResolvePipeline(OpPassManager &pm, const ResolveOptions &options) {
  buildResolvePipeline(pm, options);
  pm.addPass(createMaterializeFunctions());
}
