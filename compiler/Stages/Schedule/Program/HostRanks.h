// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs of many ranks: collectives become work of the communication stream, which is one, so that all ranks meet
// them in the order of the program. What lies on other streams is ordered with them like any other work. Of a loop over
// streams the host issues one iteration after the other, so its collectives come in the order of the iterations.
#ifndef HEDDLE_COMPILER_STAGES_SCHEDULE_PROGRAM_HOSTRANKS_H
#define HEDDLE_COMPILER_STAGES_SCHEDULE_PROGRAM_HOSTRANKS_H

#include "compiler/Dialect/Flow/IR/FlowCollectives.h"
#include "compiler/Stages/Schedule/Program/Storages.h"

namespace mlir::heddle {

// A collective whose pieces lie one behind the other (stage `partition`). Its result lies on the operand's device.
// Failure: a diagnostic, where the op is in other form.
LogicalResult buildCollective(flow::CollectiveOpInterface op, HostScalars &scalars, Issue &issue, Storages &storages);

// Where this rank is: flow.coordinate, flow.mesh_size, flow.member.
LogicalResult buildRank(Operation &op, HostScalars &scalars);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_SCHEDULE_PROGRAM_HOSTRANKS_H
