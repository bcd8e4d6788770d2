// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reshardings of values that both shardings cut into equal parts. Each dimension is a product of *slots*: it is
// expanded so far that either sharding cuts a slot by one axis of as many ranks, or not at all. Then the order of axes
// is gone:
//
//   [x, y] on 16 -> [y] on 16       is      x on 2, y on 2, - on 4 -> y on 2, - on 2, - on 4
//
// and a step may change any slots: several axes move in one all_to_all, inner ones are gathered or cut before outer
// ones.
#ifndef HEDDLE_COMPILER_STAGES_RANKS_RESHARD_RESHARDSLOTS_H
#define HEDDLE_COMPILER_STAGES_RANKS_RESHARD_RESHARDSLOTS_H

#include "compiler/Stages/Ranks/Reshard/ReshardSearch.h"

namespace mlir::heddle {

// The cheapest steps of these kinds, from Expand to Collapse; nullopt where parts are not provably equal, a dimension
// cannot be expanded so (x on 2 and y on 3 of 6), or no steps are below `limit` bytes. The sizes of the mesh's axes
// that take part are prime numbers.
std::optional<std::vector<ReshardStep>> searchSlots(flow::ShardingAttr from, flow::ShardingAttr to,
                                                    const ReshardedValue &value, const MeshShape &mesh, uint64_t limit);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_RANKS_RESHARD_RESHARDSLOTS_H
