// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX models to linalg on tensors.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_GRAPH_IMPORTER_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_GRAPH_IMPORTER_H

#include "compiler/Target/Forms/FormModel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::heddle {
class ShardRequests;
} // namespace mlir::heddle

namespace mlir::heddle::importer {

class FixedSizes;

// Reads the model at `path`: `func.func @main` of its inputs and outputs, one flow.parameter for each large
// initialiser, which borrows the mapped file. Null after an error; every node that is not supported has its own
// diagnostic then.
//
// `forms`: which forms of ops are faster where the program will run. `requests`: a sharding file's, in place of the
// model's own shardings; the caller declares its meshes. Null: none. `sizes`: of dimensions that the model leaves free.
// Null: none. `outputAll`: tensors that nodes of the graph give are outputs, all in the order of nodes; not those of
// Constant, nor those in bodies of loops and branches.
OwningOpRef<ModuleOp> importOnnx(StringRef path, MLIRContext *context, const FormModel &forms = {},
                                 ShardRequests *requests = nullptr, FixedSizes *sizes = nullptr,
                                 bool outputAll = false);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_GRAPH_IMPORTER_H
