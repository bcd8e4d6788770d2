// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slices that are written where they lie: rows of a tensor that a loop carries, parts of an argument that the call may
// write.
#ifndef HEDDLE_COMPILER_STAGES_SCHEDULE_HOSTUPDATES_H
#define HEDDLE_COMPILER_STAGES_SCHEDULE_HOSTUPDATES_H

#include "compiler/Stages/Schedule/Storages.h"

namespace mlir::heddle {

// The op's result lies where its destination does. Failure: a diagnostic, where that may not be written.
LogicalResult buildUpdate(tensor::InsertSliceOp op, HostScalars &scalars, Issue &issue, Storages &storages);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_SCHEDULE_HOSTUPDATES_H
