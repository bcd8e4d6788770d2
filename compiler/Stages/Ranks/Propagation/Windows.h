// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that several nodes read in windows (slices, padding, joins, halos): gathered once, or exchanged for each.
//
//   a[0:3], a[1:4], a[3:7], a @ w (needs all of a)      one all_gather, which is there, not three exchanges beside it
#ifndef HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_WINDOWS_H
#define HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_WINDOWS_H

#include "compiler/Stages/Ranks/Propagation/ShardingGraph.h"

namespace mlir::heddle::propagation {

// `graph` is solved. Sets Port::takesWhole where all of a value's moves are fewer bytes so, and computes what then
// reads whole values without a cut where its results are read whole, too. So it does for the positions that slices have
// of one value (Node::takesPosition), which are sums else.
void gatherOnce(ShardingGraph &graph, const MoveCost &cost);

} // namespace mlir::heddle::propagation

#endif // HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_WINDOWS_H
