// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shardings that a search for the cheapest resharding passes: the axes and dimensions that take part, by number.
#ifndef HEDDLE_COMPILER_STAGES_RANKS_RESHARD_RESHARDCUTS_H
#define HEDDLE_COMPILER_STAGES_RANKS_RESHARD_RESHARDCUTS_H

#include "compiler/Stages/Ranks/Reshard/ReshardedValue.h"

namespace mlir::heddle {

using CutAxes = SmallVector<uint8_t, 4>; // by their numbers in the space

// How the value is cut: a sharding, and whether a permutation led to it.
struct Cut {
  SmallVector<CutAxes, 4> dims;    // of the space, the outermost axis first
  SmallVector<uint8_t, 4> granule; // 1: that of the wanted sharding where it is another one; else 0
  uint32_t partial = 0;            // bits of axes
  bool permuted = false;           // by the last step; one more permutation costs nothing

  // Equal for equal ones.
  std::string getKey() const;
};

// All cuts between two shardings over one mesh. Only axes that cut or are partial in one of the two take part, and
// dimensions that one of them cuts.
class CutSpace {
public:
  static constexpr unsigned kMostAxes = 16;

  CutSpace(flow::ShardingAttr from, flow::ShardingAttr to, const ReshardedValue &value, const MeshShape &mesh);

  // `isWanted`: which granule a dimension has that may have two.
  Cut read(flow::ShardingAttr sharding, bool isWanted) const;
  flow::ShardingAttr write(const Cut &cut) const;
  SmallVector<StringAttr> namesOf(const CutAxes &list) const;

  // How many members the axes have together; guessed where a size is free.
  int64_t count(const CutAxes &list) const;
  int64_t count(uint32_t set) const;
  // Of the largest part.
  uint64_t bytesOf(const Cut &cut) const;
  // Bits of the axes that neither cut nor are partial.
  uint32_t getFreeAxes(const Cut &cut) const;
  // Whether the shardings cut the dimension at multiples of two different numbers, so a cut has to say which.
  bool hasTwoGranules(unsigned dim) const { return getGranule(dim, 0) != getGranule(dim, 1); }
  // Whether both granules give the same parts there.
  bool areGranulesAlike(const Cut &cut, unsigned dim) const;

  SmallVector<int64_t> dims;    // of the tensor
  SmallVector<StringAttr> axes; // with two ranks or more
  SmallVector<bool> isKnown;    // by axis: the size
  SmallVector<int64_t> sizes;   // by axis; guesses where they are not known

private:
  int find(StringAttr axis) const;
  flow::GranuleAttr getGranule(unsigned dim, uint8_t choice) const;

  flow::ShardingAttr from, to;
  const ReshardedValue &value;
};

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_RANKS_RESHARD_RESHARDCUTS_H
