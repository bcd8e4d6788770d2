// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of what loops and branches give.
#ifndef HEDDLE_COMPILER_STAGES_RANKS_TRACETHROUGH_H
#define HEDDLE_COMPILER_STAGES_RANKS_TRACETHROUGH_H

#include "compiler/Dialect/Flow/Transforms/Extents.h"

namespace mlir::heddle {

// As flow::traceExtent, and through loops that are known to keep sizes, and branches whose sides agree.
flow::Extent traceThrough(Value tensor, int64_t dim);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_RANKS_TRACETHROUGH_H
