// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scripts of --split-file: MLIR's transform dialect with the ops of SplitScript.td, which say how reductions are
// computed in parts. A script chooses by marking ops (`heddle.split`, SplitRequest.h) and changes nothing else of the
// program.
//
//   auto script = SplitScript::read("splits.mlir", context);
//   if (failed(script) || failed((*script)->apply(module))) …
#ifndef HEDDLE_COMPILER_STAGES_SPLIT_SPLITSCRIPT_H
#define HEDDLE_COMPILER_STAGES_SPLIT_SPLITSCRIPT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/Interfaces/MatchInterfaces.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>

#define GET_OP_CLASSES
#include "compiler/Stages/Split/SplitScript.h.inc"

namespace mlir::heddle::split {

class SplitScript {
public:
  // Loads the transform dialect: not while passes run. Fails with a diagnostic that names the file, or a place in it,
  // also where an op of the script would rewrite the program.
  static FailureOr<std::shared_ptr<SplitScript>> read(StringRef path, MLIRContext *context);

  // Runs @__transform_main on the module. Fails with a diagnostic at the op of the script that asks for what cannot be.
  LogicalResult apply(ModuleOp module);

private:
  OwningOpRef<ModuleOp> script;
};

// The ops, for the transform dialect.
void registerSplitScript(DialectRegistry &registry);

} // namespace mlir::heddle::split

#endif // HEDDLE_COMPILER_STAGES_SPLIT_SPLITSCRIPT_H
