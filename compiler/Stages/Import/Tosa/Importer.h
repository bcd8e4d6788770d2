// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TOSA to linalg on tensors, by MLIR's own lowerings.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_TOSA_IMPORTER_H
#define HEDDLE_COMPILER_STAGES_IMPORT_TOSA_IMPORTER_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mlir::heddle::tosa {

bool hasTosa(ModuleOp module);

// Replaces all ops of TOSA in the module; `run` runs passes on it. Broadcasts of sizes that only the call knows are
// checked there. Failure: diagnostics.
LogicalResult convertTosa(ModuleOp module, llvm::function_ref<LogicalResult(OpPassManager &)> run);

} // namespace mlir::heddle::tosa

#endif // HEDDLE_COMPILER_STAGES_IMPORT_TOSA_IMPORTER_H
