// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long a collective and the work beside it take together, in pieces and whole: plain data in, plain data out, by
// the model that a simulated device counts by (contract/CollectiveTime.h, flow::DeviceModel).
//
// Collectives have the link one after the other, and kCollectivesInFlight of them wait for its delay at once; work is a
// stream of its own. Piece i of the work waits for piece i of a collective that feeds it, or piece i of the collective
// for that of the work. With S equal pieces that take p, and c of the link and then a delay of l:
//
//   l + c + p + (S - 1) * max(c, p, (l + c) / kCollectivesInFlight), about, and to take apart and to put together
//
//   OverlapChoice choice = choosePieces(overlap, model);   // choice.pieces == 1: whole
#ifndef HEDDLE_COMPILER_STAGES_RANKS_OVERLAPCOST_H
#define HEDDLE_COMPILER_STAGES_RANKS_OVERLAPCOST_H

#include "compiler/Dialect/Flow/Analysis/Topology.h"
#include "heddle/contract/Collectives.h"

#include <algorithm>
#include <vector>

namespace mlir::heddle {

struct Overlap {
  // One dispatch.
  struct Work {
    uint64_t flops = 0, bytes = 0; // what pieces have their share of
    uint64_t sharedBytes = 0;      // what each piece reads all of: weights
  };
  ::heddle::contract::CollectiveKind kind;
  bool feeds = false; // the work computes with what the collective gives; else the collective moves what it computes
  static constexpr int64_t kFree = -1;
  int64_t members = 1;     // kFree: known only at load; the account is then that of 2, 4, … 1,024
  int64_t extent = 1;      // positions that are cut
  uint64_t movedBytes = 0; // of a piece of the collective, as its kind counts (Collectives.h)
  std::vector<Work> works;
  // Dispatches for each piece that the whole has not: of operands that must be copied to lie side by side, and of
  // results that are copied to where they belong, behind the last piece.
  std::vector<Work> slices, joins;
};

struct OverlapChoice {
  unsigned pieces = 1;
  uint64_t ns = 0, wholeNs = 0;
  uint64_t bestNs = 0; // of several pieces; 0: none
};

inline constexpr unsigned kMostPieces = 16;
inline constexpr unsigned kMostOfFree = 4; // of a size that may be small: each costs a little where it is empty

// Positions of a piece: those of part `piece` of `pieces` (flow::cutPart).
inline int64_t pieceBegin(int64_t extent, unsigned piece, unsigned pieces) { return extent * piece / pieces; }

// Of a known number of members.
uint64_t overlapNs(const Overlap &overlap, unsigned pieces, const flow::DeviceModel &model);

// Of a free number of members the sum over 2, 4, … 1,024; none where it is slower than the whole for some of them.
std::optional<uint64_t> sumNs(const Overlap &overlap, unsigned pieces, const flow::DeviceModel &model);

// The number of pieces that takes the least time, up to kMostPieces; the fewest of equals, so never one that is slower
// than the whole, whatever the number of members. Times are sums over all of them.
OverlapChoice choosePieces(const Overlap &overlap, const flow::DeviceModel &model);

// The same where each member's rows come from it as they are (PieceCut::applyAround): the work with this member's own
// waits for nothing, and nothing is copied. Of a known number of members.
uint64_t aroundNs(const Overlap &overlap, const flow::DeviceModel &model);

// Of an extent that only the call knows: as many pieces as there are `positions` for, `most` at most.
struct FreeChoice {
  unsigned most = 1; // 1: whole
  int64_t positions = 1;
  unsigned piecesOf(int64_t extent) const {
    return static_cast<unsigned>(std::clamp<int64_t>(extent / positions, 1, most));
  }
};

// Never slower than the whole for any extent of 1, 2, 3, 4, 6, 8 … 2^20 and any number of members; of those the choice
// whose times are the least part of the whole's, on average over the extents. `overlap` is of any known extent: what it
// counts grows as that does, but for what all pieces read.
FreeChoice chooseFree(const Overlap &overlap, const flow::DeviceModel &model);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_RANKS_OVERLAPCOST_H
