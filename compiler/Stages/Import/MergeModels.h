// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several models become one module: entry points side by side, weights that are the same in both once.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_MERGEMODELS_H
#define HEDDLE_COMPILER_STAGES_IMPORT_MERGEMODELS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::heddle {

// Renames the public function `main`, if there is one, to the name of the file without its ending.
void nameEntryPoint(ModuleOp module, StringRef path);

// Moves what `source` holds into `target`. A parameter of the same name, type and bytes is shared, any other private
// symbol gets a name of its own. An error where both have a public function of one name.
LogicalResult mergeModel(ModuleOp target, OwningOpRef<ModuleOp> source);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_IMPORT_MERGEMODELS_H
