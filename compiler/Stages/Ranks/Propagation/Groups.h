// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `--shard=auto` can ask for: arguments and parameters in groups that are cut alike, and how each could be cut.
//
//   for (const Group &group : findGroups(function, program))
//     for (const SmallVector<Place> &choice : group.choices)
//       …                                     // dimension 1 of the first weights of all layers
//
// Arguments with a dimension of one name are a group. So are parameters of one shape whose names differ in numbers only
// and of which the same is computed: the layers of a model, but not the query's and the output's weights of one layer.
#ifndef HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_GROUPS_H
#define HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_GROUPS_H

#include "compiler/Stages/Ranks/Propagation/ProgramGraph.h"

namespace mlir::heddle::propagation {

// A dimension of a value (by its number in the graph), and what its parts begin at multiples of.
struct Place {
  unsigned value, dim;
  int64_t granule = 1;
};

struct Group {
  std::string name;
  SmallVector<SmallVector<Place>> choices;
};

// Arguments first: a batch costs nothing. Dimensions that the program splits (the heads of a projection) can also be
// cut at multiples of their inner part, where parts would not be such multiples anyhow.
SmallVector<Group> findGroups(func::FuncOp function, const ProgramGraph &program);

} // namespace mlir::heddle::propagation

#endif // HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_GROUPS_H
