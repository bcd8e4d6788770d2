// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long a collective and the work beside it take together, in pieces and whole: plain data in, plain data out, by
// the model that a simulated device counts by (CollectiveTime.h). The compiler chooses by it where it knows the link
// between ranks, the loader where that is measured.
//
// Collectives have the link one after the other, and kCollectivesInFlight of them wait for its delay at once; work is a
// stream of its own. Piece i of the work waits for piece i of a collective that feeds it, or piece i of the collective
// for that of the work. With S equal pieces that take p, and c of the link and then a delay of l:
//
//   l + c + p + (S - 1) * max(c, p, (l + c) / kCollectivesInFlight), about, and to take apart and to put together
//
//   OverlapChoice choice = choosePieces(account, rates);   // choice.pieces == 1: whole
#ifndef HEDDLE_CONTRACT_OVERLAPTIME_H
#define HEDDLE_CONTRACT_OVERLAPTIME_H

#include "heddle/contract/CollectiveTime.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

namespace heddle::contract {

// What a rank computes with, and the link to the other members.
struct OverlapRates {
  double gflops = 1, memoryGbps = 1; // 10^9 operations on numbers, 10^9 bytes a second
  double launchUs = 0;               // of one dispatch
  double linkGbps = 1, linkUs = 0;   // 10^9 bytes a second, and the delay of a step
  unsigned inFlight = kCollectivesInFlight;
  // Of 0 to 1: how much of the work stands still while the link has its bytes, as the same cores move them. At 1
  // nothing but delays can be hidden.
  double stalls = 0;
};

struct OverlapAccount {
  // One dispatch.
  struct Work {
    uint64_t flops = 0, bytes = 0; // what pieces have their share of
    uint64_t sharedBytes = 0;      // what each piece reads all of: weights
  };
  CollectiveKind kind = CollectiveKind::AllReduce;
  bool feeds = false; // the work computes with what the collective gives; else the collective moves what it computes
  static constexpr int64_t kFree = -1;
  int64_t members = 1;     // kFree: known only at load; the account is then that of 2, 4, … 1,024
  int64_t extent = 1;      // positions that are cut
  uint64_t movedBytes = 0; // of a piece of the collective, as its kind counts (Collectives.h)
  std::vector<Work> works;
  // Dispatches for each piece that the whole has not: of operands that must be copied to lie side by side, and of
  // results that are copied to where they belong, behind the last piece.
  std::vector<Work> slices, joins;
  std::vector<Work> sums; // those of kAround behind all: of what members sent
};

struct OverlapChoice {
  unsigned pieces = 1; // kAround: from each rank as it is
  uint64_t ns = 0, wholeNs = 0;
  uint64_t bestNs = 0; // of several pieces; 0: none
};

inline constexpr unsigned kMostPieces = 16;
inline constexpr unsigned kMostOfFree = 4; // of a size that may be small: each costs a little where it is empty
inline constexpr unsigned kCountsOfFree[] = {1, 2, kMostOfFree};
inline constexpr unsigned kAround = 0; // the number of pieces that stands for aroundNs()

// Positions of a piece: those of part `piece` of `pieces`.
inline int64_t pieceBegin(int64_t extent, unsigned piece, unsigned pieces) { return extent * piece / pieces; }

// Of a known number of members; 0 pieces: aroundNs().
uint64_t overlapNs(const OverlapAccount &account, unsigned pieces, const OverlapRates &rates);

// Of a free number of members the sum over 2, 4, … 1,024; none where it is slower than the whole for some of them.
std::optional<uint64_t> sumNs(const OverlapAccount &account, unsigned pieces, const OverlapRates &rates);

// The number of pieces that takes the least time, up to kMostPieces; the fewest of equals, so never one that is slower
// than the whole, whatever the number of members. Times are sums over all of them.
OverlapChoice choosePieces(const OverlapAccount &account, const OverlapRates &rates);

// Each member's rows come from it as they are: the work with this member's own waits for nothing, and nothing is
// copied. Or they go to each member as they are, this one's own are computed last, and all are added up. Of a known
// number of members.
uint64_t aroundNs(const OverlapAccount &account, const OverlapRates &rates);

// That of these numbers which takes the least time, the first of equals; 1 is among them, and stays unless another one
// takes less than `gain` times its time. Of a known number of members, who are alone where it is 1.
OverlapChoice chooseAmong(const OverlapAccount &account, std::span<const unsigned> counts, const OverlapRates &rates,
                          double gain = 1);

// Of 1 to kMostPieces, and kAround where that can be, those that a program should have so that for any link one of them
// is within 2 % of the best, or as near as `most` numbers come: 1 first. The best with the link of `rates` is one of
// them, so a choice among them is never slower than it. Links of 1 MB/s to 1 TB/s with delays of 100 ns to 100 ms are
// tried, in groups of the members, or of 2 to 64 where that is free.
std::vector<unsigned> chooseCounts(const OverlapAccount &account, bool canGoAround, unsigned most, OverlapRates rates);
// The best of them all with the link of `rates`: choosePieces(), or kAround.
OverlapChoice chooseExpected(const OverlapAccount &account, bool canGoAround, const OverlapRates &rates);

// Of an extent that only the call knows: as many pieces as there are `positions` for, `most` at most.
struct FreeChoice {
  unsigned most = 1; // 1: whole
  int64_t positions = 1;
  unsigned piecesOf(int64_t extent) const {
    return static_cast<unsigned>(std::clamp<int64_t>(extent / positions, 1, most));
  }
};

// Never slower than the whole for any extent of 1, 2, 3, 4, 6, 8 … 2^20 and any number of members; of those the choice
// whose times are the least part of the whole's, on average over the extents, and less than `gain` of it. `account` is
// of any known extent: what it counts grows as that does, but for what all pieces read.
FreeChoice chooseFree(const OverlapAccount &account, const OverlapRates &rates, double gain = 1);

} // namespace heddle::contract

#endif // HEDDLE_CONTRACT_OVERLAPTIME_H
