// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cheapest steps from one sharding to another over one mesh: Dijkstra's algorithm, where a node is how the value is
// cut. Which axes and dimensions take part is told by the two shardings, so the graph does not grow with the mesh.
#ifndef HEDDLE_COMPILER_STAGES_RANKS_RESHARD_RESHARDSEARCH_H
#define HEDDLE_COMPILER_STAGES_RANKS_RESHARD_RESHARDSEARCH_H

#include "compiler/Stages/Ranks/Reshard/ReshardedValue.h"

namespace mlir::heddle {

// Members that a permutation names one by one, at most.
inline constexpr int64_t kMostPairs = 4096;

// The steps; nullopt where none are below `limit` bytes, or more than `maxNodes` shardings were looked at. Both
// shardings are over `mesh` and say how partial sums combine alike if both are partial.
std::optional<std::vector<ReshardStep>> searchReshard(flow::ShardingAttr from, flow::ShardingAttr to,
                                                      const ReshardedValue &value, const MeshShape &mesh,
                                                      uint64_t limit = UINT64_MAX, unsigned maxNodes = 6000);

// The axes along which members have other parts by one sharding than by the other.
SmallVector<StringAttr> listChangedAxes(flow::ShardingAttr from, flow::ShardingAttr to, const MeshShape &mesh);

// For two shardings with equal numbers of parts, over the axes (all that differ between them, of known sizes): who
// sends to whom so that each member has its part by `to`, as positions; as many members as possible keep their own.
// Empty: all do.
SmallVector<int64_t> findPairs(flow::ShardingAttr from, flow::ShardingAttr to, ArrayRef<StringAttr> axes,
                               const MeshShape &mesh);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_RANKS_RESHARD_RESHARDSEARCH_H
