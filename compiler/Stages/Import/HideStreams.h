// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Carries `heddle.stream` over a lowering that knows nothing of it, along with the location as affinities go
// (KeepAffinities.h). What an op was lowered to is one node: its marks go to the ops that compute along their axes.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_HIDESTREAMS_H
#define HEDDLE_COMPILER_STAGES_IMPORT_HIDESTREAMS_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::heddle {

// Of the ops that are about to be lowered, those of other dialects than linalg and tensor: where they stand. Before
// hideAffinities.
SmallVector<Location> hideStreams(ModuleOp module);

// After restoreAffinities, with what hideStreams gave. Fails with diagnostics at marked ops of which nothing is left
// that could be streamed.
LogicalResult restoreStreams(ModuleOp module, ArrayRef<Location> marked);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_IMPORT_HIDESTREAMS_H
