// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A value whose parts are counted, where plans of resharding are compared.
//
//   ReshardedValue value = ReshardedValue::of(type, estimates);
//   uint64_t bytes = value.bytesOfPart(sharding, mesh);   // of the largest part
#ifndef HEDDLE_COMPILER_STAGES_RANKS_RESHARD_RESHARDEDVALUE_H
#define HEDDLE_COMPILER_STAGES_RANKS_RESHARD_RESHARDEDVALUE_H

#include "compiler/Stages/Ranks/Reshard/Reshard.h"

namespace mlir::heddle {

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

// The largest part, by the formula of #flow.sharding. Sizes with names in the granule are not known: they count as 1.
int64_t largestPart(int64_t size, int64_t parts, flow::GranuleAttr granule);

// How many parts, guessed where a size is free.
int64_t guessParts(ArrayRef<StringAttr> axes, const MeshShape &mesh);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_RANKS_RESHARD_RESHARDEDVALUE_H
