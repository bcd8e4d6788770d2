// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ranks need of a dimension that they have parts of, where that is no part: rows beside one's own (the halo of a
// convolution), a part of a slice, of a padded or a joined value. Each rank sends the others what they need of its
// part: one permutation for each distance between sender and receiver. See docs/design/reshardings.md.
//
//   8 rows over x = 4, read in windows of three: [0, 2), … need [0, 3), [1, 5), [3, 7), [5, 8)
//   permute pairs [[0, 1], [1, 2], [2, 3]] of one row, permute pairs [[1, 0], [2, 1], [3, 2]] of one row
#ifndef HEDDLE_COMPILER_STAGES_RANKS_EXCHANGE_H
#define HEDDLE_COMPILER_STAGES_RANKS_EXCHANGE_H

#include "compiler/Stages/Ranks/Reshard.h"

namespace mlir::heddle {

// What parts of a loop read of a dimension: position p of it the positions [scale * p + first, scale * p + first +
// extent), as far as there are any. The loop has `size` positions, cut at multiples of `granule`.
struct Window {
  int64_t scale = 1, first = 0, extent = 1;
  int64_t size = 0, granule = 1;

  bool operator==(const Window &other) const = default;
};

// Positions [begin, end).
struct Positions {
  int64_t begin = 0, end = 0;
  int64_t size() const { return end - begin; }
  bool operator==(const Positions &other) const = default;
};

// One permutation: place p is sent what it needs of the part at place p + distance.
struct ExchangeRound {
  int64_t distance = 0;
  SmallVector<int64_t> pairs; // sender, receiver, …
  int64_t largest = 0;        // positions that travel
};

struct Exchange {
  std::vector<Positions> had, needed; // by place
  std::vector<ExchangeRound> rounds;  // by distance, without 0

  // What place `at` needs of the part of the one at the distance.
  Positions travelling(int64_t at, int64_t distance) const;
  // That the busiest place sends.
  int64_t countSent() const;
};

// For a dimension of `size` positions that lies in `count` parts at multiples of `granule`. Nullopt where that would be
// too many permutations, or pieces of too many shapes.
std::optional<Exchange> planExchange(int64_t size, int64_t granule, int64_t count, const Window &window);

// A dimension of a value that is to be brought to windows of a loop, which these axes cut.
struct WindowedDim {
  int64_t dim = 0;
  SmallVector<StringAttr> axes;
  Window window;
};

// A value is brought from one sharding to `cut`, which has the windowed dimensions as their loops lie, and then
// exchanged along each of them. `reshard` describes all of it as text and in bytes.
struct WindowPlan {
  flow::ShardingAttr cut;
  std::vector<Exchange> exchanges; // as the dimensions
  ReshardPlan reshard;
};

// The plan where it moves fewer bytes than to bring the value to `wanted`, in which the windowed dimensions are whole;
// else nullopt. Over one mesh of known sizes, with known sizes of the dimensions.
std::optional<WindowPlan> planWindows(flow::ShardingAttr from, flow::ShardingAttr wanted, ArrayRef<WindowedDim> dims,
                                      RankedTensorType whole, ArrayRef<int64_t> estimates, const MeshShape &mesh);

// The exchange of a rank's part `local` along a dimension that `axes` cut: the positions that it needs, in order.
Value emitExchange(OpBuilder &builder, Location loc, Value local, const WindowedDim &dim, const Exchange &exchange,
                   device::MeshOp mesh);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_RANKS_EXCHANGE_H
