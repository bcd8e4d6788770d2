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

uint64_t mlir::heddle::aroundNs(const Overlap &overlap, const flow::DeviceModel &model) {
  Overlap sent = overlap;
  sent.kind = ::heddle::contract::CollectiveKind::Permute;
  Link link(sent, model);
  double share = 1 / static_cast<double>(overlap.members), worked = workNs(overlap.works, share, model);
  for (int64_t member = 1; member < overlap.members; ++member)
    worked = std::max(worked, link.move(0, 1)) + workNs(overlap.works, share, model);
  return static_cast<uint64_t>(std::llround(worked));
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

// The same of another extent.
static Overlap ofExtent(const Overlap &overlap, int64_t extent) {
  Overlap other = overlap;
  double share = static_cast<double>(extent) / static_cast<double>(std::max<int64_t>(overlap.extent, 1));
  auto scale = [&](uint64_t number) {
    return static_cast<uint64_t>(std::llround(share * static_cast<double>(number)));
  };
  other.extent = extent;
  other.movedBytes = scale(other.movedBytes);
  for (auto *works : {&other.works, &other.slices, &other.joins})
    for (Overlap::Work &work : *works)
      work.flops = scale(work.flops), work.bytes = scale(work.bytes);
  return other;
}

FreeChoice mlir::heddle::chooseFree(const Overlap &overlap, const flow::DeviceModel &model) {
  constexpr int64_t kMostExtent = 1 << 20, kMostPositions = 1 << 16;
  SmallVector<int64_t> extents;
  for (int64_t extent = 1; extent <= kMostExtent; extent *= 2) {
    extents.push_back(extent);
    if (extent > 1)
      extents.push_back(extent * 3 / 2);
  }
  // For each extent, of how many pieces the time as a part of the whole's; none that is slower on some mesh.
  SmallVector<SmallVector<std::optional<double>>> parts;
  for (int64_t extent : extents) {
    Overlap known = ofExtent(overlap, extent);
    auto whole = static_cast<double>(std::max<uint64_t>(1, *sumNs(known, 1, model)));
    SmallVector<std::optional<double>> &of = parts.emplace_back();
    for (unsigned pieces = 1; pieces <= std::min<int64_t>(kMostOfFree, extent); ++pieces) {
      std::optional<uint64_t> ns = sumNs(known, pieces, model);
      bool isSlower = !ns || static_cast<double>(*ns) > whole;
      of.push_back(isSlower && pieces > 1 ? std::nullopt : std::optional(static_cast<double>(*ns) / whole));
    }
  }
  FreeChoice best;
  auto least = static_cast<double>(extents.size());
  for (unsigned most = 2; most <= kMostOfFree; most *= 2)
    for (int64_t positions = 1; positions <= kMostPositions; positions *= 2) {
      FreeChoice choice{most, positions};
      double sum = 0;
      for (auto [extent, of] : llvm::zip_equal(extents, parts))
        sum += of[choice.piecesOf(extent) - 1].value_or(static_cast<double>(2 * extents.size()));
      if (sum < least * 0.999) {
        least = sum;
        best = choice;
      }
    }
  return best;
}
