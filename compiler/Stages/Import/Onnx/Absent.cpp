// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In place of the importer where the ONNX schema was missing when this was built.
#include "compiler/Stages/Import/Onnx/Importer.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

OwningOpRef<ModuleOp> mlir::heddle::importer::importOnnx(StringRef path, MLIRContext *context, bool, ShardRequests *,
                                                         FixedSizes *) {
  emitError(FileLineColLoc::get(context, path, 0, 0))
      << "this build reads no ONNX models: the Python package onnx was missing; run scripts/setup.sh and build again";
  return {};
}
