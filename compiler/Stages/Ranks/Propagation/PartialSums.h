// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Partial sums that nodes hand on: what is a sum of multiples of partial sums is one. Two products that are added need
// one reduction, and one whose rows are summed behind it that of the sums.
//
//   h = partial [x] (MatMul)   g = partial [x] (MatMul)     two all_reduces, of h and of g,
//   r = h + g                                               become one, of r
//
// Decided when all loops are: a node hands on what it may, and those between it and the sums, where fewer bytes move
// then. What is added to them and no sum counts on one rank (a mask, which moves nothing).
#ifndef HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_PARTIALSUMS_H
#define HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_PARTIALSUMS_H

#include "compiler/Stages/Ranks/Propagation/ShardingGraph.h"

namespace mlir::heddle::propagation {

// `graph` is solved. Linear in the nodes, but for chains of them, which are followed to a bounded depth.
void handOnPartialSums(ShardingGraph &graph, const MoveCost &cost);

} // namespace mlir::heddle::propagation

#endif // HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_PARTIALSUMS_H
