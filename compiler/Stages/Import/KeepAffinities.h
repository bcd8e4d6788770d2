// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Carries `heddle.affinity` of ops over a lowering that knows nothing of it: patterns drop attributes of an op and keep
// its location. So the affinity goes along with the location, and comes back as an attribute of what was made there.
//
//   hideAffinities(module);
//   … lower TOSA …
//   restoreAffinities(module);
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_KEEPAFFINITIES_H
#define HEDDLE_COMPILER_STAGES_IMPORT_KEEPAFFINITIES_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::heddle {

// Puts an attribute into the op's location, under a key.
void hideInLocation(Operation *op, StringRef key, Attribute value);
// What a location holds under the key; the location without it goes to `plain`.
Attribute takeFromLocation(Location loc, StringRef key, Location &plain);

// Of every op but functions and transfers.
void hideAffinities(ModuleOp module);

// Of the ops that compute tensors, and of loops and branches, at the same locations as before.
void restoreAffinities(ModuleOp module);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_IMPORT_KEEPAFFINITIES_H
