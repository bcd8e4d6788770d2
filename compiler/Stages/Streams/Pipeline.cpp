// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Streams/Pipeline.h"

#include "compiler/Stages/Streams/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

void mlir::heddle::buildStreamsPipeline(OpPassManager &pm, const StreamsOptions &options) {
  pm.addPass(createFormLoops({options.strictFloat}));
  pm.addPass(createJoinNested());
  // After the marks: loops that they became are checked like those of a user.
  pm.addPass(createNormalizeLoops());
}
