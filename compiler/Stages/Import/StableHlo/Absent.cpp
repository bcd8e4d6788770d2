// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In place of the importer in a build without the ONNX importer, with which it shares how ops are emitted.
#include "compiler/Stages/Import/StableHlo/Importer.h"

using namespace mlir;
using namespace mlir::heddle;

bool hlo::hasStableHlo(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        return op->getName().getDialectNamespace() == "stablehlo" ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult hlo::convertStableHlo(ModuleOp module, ArrayRef<std::string>) {
  return module.emitError()
         << "this build reads no StableHLO: the Python package onnx was missing; run scripts/setup.sh "
            "and build again";
}
