// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Rewrite.h"
#include "compiler/Stages/Package/Package.h"
#include "compiler/Stages/Package/Passes.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

void mlir::heddle::buildPackagePipeline(OpPassManager &pm) {
  pm.addPass(createResolveLaunches());
  // Before formulas are tidied: numbers of streams are formulas, too.
  pm.addNestedPass<host::FuncOp>(createFlattenStreamLoops());
  // Equal formulas of different dispatches become one computation.
  OpPassManager &func = pm.nest<host::FuncOp>();
  func.addPass(createCanonicalizerPass(ofStructured()));
  func.addPass(createCSEPass());
}
