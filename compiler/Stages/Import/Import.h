// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stage `import`: a model file becomes a module of func, linalg, tensor, arith, math, scf and our ops.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_IMPORT_H
#define HEDDLE_COMPILER_STAGES_IMPORT_IMPORT_H

#include "compiler/Target/Forms/FormModel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"

#include <string>
#include <vector>

namespace mlir::heddle {

struct ImportOptions {
  std::vector<std::string> states;    // INPUT=OUTPUT: held in the module between calls (BindState)
  std::vector<std::string> donations; // INPUT[=OUTPUT]: the call may overwrite the argument
  std::vector<std::string> others;    // further models in one module; each one's `main` is named like its file then
  unsigned bytecodeSeconds = 5;       // of processor time that reading MLIR bytecode may take (readBytecode)
  std::vector<std::string>
      meshSizes;         // AXIS=SIZE: the mesh of a StableHLO program that does not say on how many ranks it runs
  std::string shardFile; // how ranks share values, by their names (Annotations/ShardFile.h); empty: none
  std::vector<std::string> dims; // NAME=SIZE: fixed sizes (Onnx/Model/FixedSizes.h)
  bool outputAll = false;        // results of nodes are outputs, too (importOnnx)
  FormModel forms;               // for the devices that the program is for
};

// Reads `.onnx` (with external data beside it), `.mlir` or `.mlirbc` (func on tensors in linalg, TOSA or StableHLO),
// told apart by the file's name, and runs the stage's passes. The result is verified (VerifyImport). Large constants
// may point into the mapped file, which the module keeps alive. Null after diagnostics; any file gives a module or an
// error.
OwningOpRef<ModuleOp> importModel(StringRef path, MLIRContext *context, const ImportOptions &options);

// Reads MLIR, text or bytecode, of any stage as it stands. Null after diagnostics; any file gives a module or an error.
OwningOpRef<ModuleOp> readModule(StringRef path, MLIRContext *context, unsigned bytecodeSeconds = 5);

// The passes after reading: TOSA and StableHLO to linalg where there is any, state to the boundary, names for
// dimensions, the verifier.
void buildImportPipeline(OpPassManager &pm, const ImportOptions &options = {});

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_IMPORT_IMPORT_H
