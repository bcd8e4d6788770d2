// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes what the loader chooses numbers of pieces by (docs/design/overlap.md).
#ifndef HEDDLE_COMPILER_STAGES_PACKAGE_PACKOVERLAPS_H
#define HEDDLE_COMPILER_STAGES_PACKAGE_PACKOVERLAPS_H

#include "compiler/Stages/Package/ArtifactTables.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::heddle {

// An entry of `out.overlaps` for each account of a host.bound, which the bound values name. `out` has its bounds and
// collectives; `tables` is what they are from.
LogicalResult packOverlaps(ModuleOp module, ArtifactTables &tables, ::heddle::fb::ModuleT &out);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_PACKAGE_PACKOVERLAPS_H
