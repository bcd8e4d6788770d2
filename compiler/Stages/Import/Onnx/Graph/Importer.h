// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX models to linalg on tensors.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_GRAPH_IMPORTER_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_GRAPH_IMPORTER_H

#include "compiler/Target/Forms/FormModel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::heddle {
struct KeptMemory;
class ShardRequests;
} // namespace mlir::heddle

namespace mlir::heddle::importer {

class FixedSizes;

// What else is said of a model than its file does.
struct OnnxOptions {
  // Which forms of ops are faster where the program will run.
  FormModel forms;
  // A sharding file's, in place of the model's own shardings; the caller declares its meshes. Null: none.
  ShardRequests *requests = nullptr;
  // Of dimensions that the model leaves free. Null: none.
  FixedSizes *sizes = nullptr;
  // Outputs in the memory of inputs. Null: none.
  const KeptMemory *kept = nullptr;
  // Tensors that nodes of the graph give are outputs, all in the order of nodes; not those of Constant, nor those in
  // bodies of loops and branches.
  bool outputAll = false;
};

// Reads the model at `path`: `func.func @main` of its inputs and outputs, one flow.parameter for each large
// initialiser, which borrows the mapped file. Null after an error; every node that is not supported has its own
// diagnostic then.
OwningOpRef<ModuleOp> importOnnx(StringRef path, MLIRContext *context, const OnnxOptions &options = {});

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_GRAPH_IMPORTER_H
