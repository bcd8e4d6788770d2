// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In place of the importer where the ONNX schema was missing when this was built.
#include "compiler/Stages/Import/Onnx/Graph/Importer.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

OwningOpRef<ModuleOp> mlir::heddle::importer::importOnnx(StringRef path, MLIRContext *context, const OnnxOptions &) {
  emitError(FileLineColLoc::get(context, path, 0, 0)) << "this build reads no ONNX models: the Python package onnx was "
                                                         "missing, or HEDDLE_ONNX off; run scripts/setup.sh "
                                                         "and build again with -DHEDDLE_ONNX=ON";
  return {};
}
