// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/OverlapCost.h"

#include "heddle/contract/CollectiveTime.h"

#include <cmath>

using namespace mlir;
using namespace mlir::heddle;

// Of dispatches that have this share of the positions.
static double workNs(ArrayRef<Overlap::Work> works, double share, const flow::DeviceModel &model) {
  double sum = 0;
  for (const Overlap::Work &work : works) {
    double bytes = share * static_cast<double>(work.bytes) + static_cast<double>(work.sharedBytes);
    double busy = std::max(share * static_cast<double>(work.flops) / model.gflops, bytes / model.memoryGbps);
    sum += std::round(1000 * model.launchUs + busy);
  }
  return sum;
}

namespace {

// The collectives' side: when each piece has ended.
class Link {
public:
  Link(const Overlap &overlap, const flow::DeviceModel &model) : overlap(overlap), model(model) {}

  // That of the next piece, which can begin at `ready`.
  double move(double ready, double share) {
    auto time = ::heddle::contract::collectiveTime(overlap.kind, overlap.members,
                                                   share * static_cast<double>(overlap.movedBytes),
                                                   model.ranks.latencyUs, model.ranks.bandwidthGbps);
    if (ends.size() >= ::heddle::contract::kCollectivesInFlight)
      ready = std::max(ready, ends[ends.size() - ::heddle::contract::kCollectivesInFlight]);
    double busy = std::round(time.busy);
    free = std::max(free, ready) + busy;
    ends.push_back(std::max(ends.empty() ? 0 : ends.back(), free + std::round(time.all()) - busy));
    return ends.back();
  }

private:
  const Overlap &overlap;
  const flow::DeviceModel &model;
  double free = 0; // when it is
  SmallVector<double> ends;
};

} // namespace

uint64_t mlir::heddle::overlapNs(const Overlap &overlap, unsigned pieces, const flow::DeviceModel &model) {
  auto extent = static_cast<double>(std::max<int64_t>(overlap.extent, 1));
  auto shareOf = [&](unsigned piece) {
    return static_cast<double>(pieceBegin(overlap.extent, piece + 1, pieces) -
                               pieceBegin(overlap.extent, piece, pieces)) /
           extent;
  };
  Link link(overlap, model);
  double moved = 0, worked = 0, joined = 0;
  // What waits for no collective is issued first.
  for (unsigned piece = 0; overlap.feeds && pieces > 1 && piece < pieces; ++piece)
    worked += workNs(overlap.slices, shareOf(piece), model);
  for (unsigned piece = 0; piece < pieces; ++piece) {
    double share = shareOf(piece);
    if (share == 0)
      continue;
    double work = workNs(overlap.works, share, model);
    joined += workNs(overlap.joins, share, model);
    if (overlap.feeds) {
      moved = link.move(0, share);
      worked = std::max(worked, moved) + work;
    } else {
      worked += work + (pieces > 1 ? workNs(overlap.slices, share, model) : 0);
      moved = link.move(worked, share);
    }
  }
  return static_cast<uint64_t>(std::llround(std::max(moved, worked) + (pieces > 1 ? joined : 0)));
}

std::optional<uint64_t> mlir::heddle::sumNs(const Overlap &overlap, unsigned pieces, const flow::DeviceModel &model) {
  if (overlap.members != Overlap::kFree)
    return overlapNs(overlap, pieces, model);
  uint64_t sum = 0;
  for (int64_t members = 2; members <= 1024; members *= 2) {
    Overlap known = overlap;
    known.members = members;
    uint64_t ns = overlapNs(known, pieces, model);
    if (ns > overlapNs(known, 1, model))
      return std::nullopt;
    sum += ns;
  }
  return sum;
}

OverlapChoice mlir::heddle::choosePieces(const Overlap &overlap, const flow::DeviceModel &model) {
  OverlapChoice choice;
  choice.ns = choice.wholeNs = *sumNs(overlap, 1, model);
  auto most = static_cast<unsigned>(std::min<int64_t>(kMostPieces, overlap.extent));
  for (unsigned pieces = 2; pieces <= most; ++pieces) {
    std::optional<uint64_t> ns = sumNs(overlap, pieces, model);
    if (ns && (!choice.bestNs || *ns < choice.bestNs))
      choice.bestNs = *ns;
    if (ns && *ns < choice.ns) {
      choice.pieces = pieces;
      choice.ns = *ns;
    }
  }
  return choice;
}
