// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of what an iteration of a loop over streams issues: its work is in the order of its own stream, but for
// collectives, whose stream is one for all iterations. An event orders a collective with what touches the same bytes in
// its iteration before it and behind it, and nothing else waits. At the end of the iteration its stream comes after all
// of its collectives, so that iterations of one slot are in order.
#ifndef HEDDLE_COMPILER_STAGES_SCHEDULE_ORDER_ITERATIONORDER_H
#define HEDDLE_COMPILER_STAGES_SCHEDULE_ORDER_ITERATIONORDER_H

#include "compiler/Dialect/Host/IR/HostOps.h"

namespace mlir::heddle {

// Adds records and waits to a loop that has none. Loops inside of it are their own matter.
void orderCollectives(host::StreamForOp loop);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_SCHEDULE_ORDER_ITERATIONORDER_H
