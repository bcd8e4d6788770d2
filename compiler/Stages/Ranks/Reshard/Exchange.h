// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ranks need of a dimension that they have parts of, where that is no part: rows beside one's own (the halo of a
// convolution), a part of a slice, of a padded or a joined value. One flow.exchange brings it, whose formula says for
// any place who sends what. See docs/design/reshardings.md.
//
//   8 rows over x = 4, read in windows of three: [0, 2), … need [0, 3), [1, 5), [3, 7), [5, 8)
//   flow.exchange %x dim 0 cut(8, 1, 0, 4, 8, 1, 0, 4, 1, 3, -1) over @m["x"]
#ifndef HEDDLE_COMPILER_STAGES_RANKS_RESHARD_EXCHANGE_H
#define HEDDLE_COMPILER_STAGES_RANKS_RESHARD_EXCHANGE_H

#include "compiler/Dialect/Flow/Transforms/RankPart.h"
#include "compiler/Stages/Ranks/Reshard/Reshard.h"
#include "heddle/contract/Collectives.h"

#include <array>

namespace mlir::heddle {

// What parts of a loop read of a dimension: position p of it the positions [scale * p + first, scale * p + first +
// extent), as far as there are any. The loop has `size` positions (ShapedType::kDynamic: the program tells), cut at
// multiples of `granule`.
//
// Zeros that are `low` positions in front of the dimension and `high` behind it count as positions of it: those of a
// padding that the window reads.
struct Window {
  int64_t scale = 1, first = 0, extent = 1;
  int64_t size = 0, granule = 1;
  int64_t low = 0, high = 0;
  int64_t behind = 0; // comes off `first`, too, of what only the program tells: about so many; 0: nothing does

  bool operator==(const Window &other) const = default;
};

// For a dimension and a loop that are cut into as many parts.
struct Exchange {
  std::array<::heddle::contract::Cut, 4> cuts; // of contract::CollectiveKind::Exchange, by estimates where not known
  bool isKnown = false;                        // sizes and the number of parts are
  bool moves = true;                           // some place needs what another one has, or zeros
  int64_t sent = 0;                            // positions that the busiest place sends, or about so many

  // Of all places, if they need as many positions.
  std::optional<int64_t> equalSize() const;
};

// `size`, `loop` and `count` are estimates where !isKnown. Nullopt where granules do not divide known sizes.
std::optional<Exchange> planExchange(int64_t size, int64_t granule, int64_t loop, int64_t count, const Window &window,
                                     bool isKnown);

// What a size is taken for that only the program tells, where nothing better is known.
inline constexpr int64_t kGuessedSize = 256;

// A dimension of a value that is to be brought to windows of a loop, which these axes cut.
struct WindowedDim {
  int64_t dim = 0;
  SmallVector<StringAttr> axes;
  Window window;
  OpFoldResult loop = {};   // its size where only the program tells, at hand where the window is read
  OpFoldResult behind = {}; // of the window, at hand there, if there is such
};

// A value is brought from one sharding to `cut`, which has the windowed dimensions as their loops lie, and then
// exchanged along each of them. `reshard` describes all of it as text and in bytes.
struct WindowPlan {
  flow::ShardingAttr cut;
  std::vector<Exchange> exchanges; // as the dimensions
  ReshardPlan reshard;
};

// The plan where it moves fewer bytes than to bring the value to `wanted`, in which the windowed dimensions are whole;
// else nullopt. Over one mesh. Sizes that are not known count as estimated.
std::optional<WindowPlan> planWindows(flow::ShardingAttr from, flow::ShardingAttr wanted, ArrayRef<WindowedDim> dims,
                                      RankedTensorType whole, ArrayRef<int64_t> estimates, const MeshShape &mesh);

// A window as values of the program.
struct WindowValues {
  OpFoldResult scale, extent, first, low, high;
};

// Positions of a dimension of `size` that one that has `part` of a loop reads (contract::readPositions).
flow::RankPart buildReadPart(OpBuilder &builder, Location loc, const flow::RankPart &part, const WindowValues &window,
                             OpFoldResult size);

// Where a window begins at position 0 of its loop.
OpFoldResult buildFirst(OpBuilder &builder, Location loc, const WindowedDim &dim);

// The exchange of a rank's part `local` along a dimension of `whole` positions that the windows' axes cut at multiples
// of `granule`: the positions that it needs, in order.
Value emitExchange(OpBuilder &builder, Location loc, Value local, const WindowedDim &dim, const Exchange &exchange,
                   OpFoldResult whole, int64_t granule, device::MeshOp mesh);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_RANKS_RESHARD_EXCHANGE_H
