// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cheapest steps from one sharding to another over one mesh: Dijkstra's algorithm, where a node is how the value is
// cut. Which axes and dimensions take part is told by the two shardings, so the graph does not grow with the mesh.
#ifndef HEDDLE_COMPILER_STAGES_RANKS_RESHARDSEARCH_H
#define HEDDLE_COMPILER_STAGES_RANKS_RESHARDSEARCH_H

#include "compiler/Stages/Ranks/Reshard.h"

namespace mlir::heddle {

// A value whose parts are counted.
struct ReshardedValue {
  RankedTensorType type;
  SmallVector<int64_t> sizes; // of the whole; guesses where the type is dynamic
  uint64_t elementBytes = 1;

  static ReshardedValue of(RankedTensorType type, ArrayRef<int64_t> estimates);

  // The bytes of the largest part.
  uint64_t bytesOfPart(flow::ShardingAttr sharding, const MeshShape &mesh) const;
};

// What stands for a size of a mesh that only the load knows, where plans are compared.
inline constexpr int64_t kGuessedRanks = 4;

// Members that a permutation names one by one, at most.
inline constexpr int64_t kMostPairs = 4096;

// How many parts, guessed where a size is free.
int64_t guessParts(ArrayRef<StringAttr> axes, const MeshShape &mesh);

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

#endif // HEDDLE_COMPILER_STAGES_RANKS_RESHARDSEARCH_H
