// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long a call of a whole program takes one rank, by its decisions: for comparing decisions, not for clocks. Work of
// a node is the positions of its loops, divided by the parts of those that are cut; a node that reduces also takes the
// time of its bytes. Moves between ranks take their bytes and a latency for each step.
#ifndef HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_ESTIMATE_H
#define HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_ESTIMATE_H

#include "compiler/Dialect/Flow/Analysis/Topology.h"
#include "compiler/Stages/Ranks/Propagation/Report.h"

namespace mlir::heddle::propagation {

struct Estimate {
  double computeNs = 0, moveNs = 0;
  double total() const { return computeNs + moveNs; }
};

// `program` is solved, its arguments decided.
Estimate estimate(func::FuncOp function, const ProgramGraph &program, Moves &moves, const flow::DeviceModel &device,
                  const flow::Link &link);

} // namespace mlir::heddle::propagation

#endif // HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_ESTIMATE_H
