// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heddle/contract/OverlapTime.h"

#include <cmath>

namespace heddle::contract {
namespace {

// Of dispatches that have this share of the positions.
double workNs(const std::vector<OverlapAccount::Work> &works, double share, const OverlapRates &rates) {
  double sum = 0;
  for (const OverlapAccount::Work &work : works) {
    double bytes = share * static_cast<double>(work.bytes) + static_cast<double>(work.sharedBytes);
    double busy = std::max(share * static_cast<double>(work.flops) / rates.gflops, bytes / rates.memoryGbps);
    sum += std::round(1000 * rates.launchUs + busy);
  }
  return sum;
}

// The collectives' side: when each piece has ended.
class Link {
public:
  Link(const OverlapAccount &account, const OverlapRates &rates) : account(account), rates(rates) {}

  // That of the next piece, which can begin at `ready`.
  double move(double ready, double share) {
    auto time = collectiveTime(account.kind, account.members, share * static_cast<double>(account.movedBytes),
                               rates.linkUs, rates.linkGbps);
    if (ends.size() >= rates.inFlight)
      ready = std::max(ready, ends[ends.size() - rates.inFlight]);
    double busy = std::round(time.busy);
    free = std::max(free, ready) + busy;
    moving += busy;
    ends.push_back(std::max(ends.empty() ? 0 : ends.back(), free + std::round(time.all()) - busy));
    return ends.back();
  }

  // What takes `ns` beside work of `worked` in all, where a share of the work stands still while bytes move.
  double stall(double ns, double worked) const {
    double apart = std::max(ns, moving + worked);
    return ns + rates.stalls * (apart - ns);
  }

private:
  const OverlapAccount &account;
  const OverlapRates &rates;
  double free = 0, moving = 0; // when it is free, and how long it had bytes
  std::vector<double> ends;
};

} // namespace

uint64_t overlapNs(const OverlapAccount &account, unsigned pieces, const OverlapRates &rates) {
  if (pieces == kAround)
    return aroundNs(account, rates);
  auto extent = static_cast<double>(std::max<int64_t>(account.extent, 1));
  auto shareOf = [&](unsigned piece) {
    return static_cast<double>(pieceBegin(account.extent, piece + 1, pieces) -
                               pieceBegin(account.extent, piece, pieces)) /
           extent;
  };
  Link link(account, rates);
  double moved = 0, worked = 0, joined = 0, busy = 0; // the last is of the work alone
  // What waits for no collective is issued first.
  for (unsigned piece = 0; account.feeds && pieces > 1 && piece < pieces; ++piece)
    worked += workNs(account.slices, shareOf(piece), rates);
  busy = worked;
  for (unsigned piece = 0; piece < pieces; ++piece) {
    double share = shareOf(piece);
    if (share == 0)
      continue;
    double work = workNs(account.works, share, rates);
    joined += workNs(account.joins, share, rates);
    if (account.feeds) {
      moved = link.move(0, share);
      worked = std::max(worked, moved) + work;
      busy += work;
    } else {
      worked += work + (pieces > 1 ? workNs(account.slices, share, rates) : 0);
      busy = worked;
      moved = link.move(worked, share);
    }
  }
  double all = link.stall(std::max(moved, worked), busy);
  return static_cast<uint64_t>(std::llround(all + (pieces > 1 ? joined : 0)));
}

uint64_t aroundNs(const OverlapAccount &account, const OverlapRates &rates) {
  OverlapAccount sent = account;
  sent.kind = CollectiveKind::Permute;
  Link link(sent, rates);
  double share = 1 / static_cast<double>(account.members), one = workNs(account.works, share, rates);
  // What comes is waited for by the work with it; what goes by the last work, whose result lies beside what others
  // sent.
  double worked = account.feeds ? one : 0, moved = 0;
  for (int64_t member = 1; member < account.members; ++member)
    if (account.feeds) {
      moved = link.move(0, 1);
      worked = std::max(worked, moved) + one;
    } else {
      worked += one;
      moved = link.move(worked, 1);
    }
  if (!account.feeds)
    worked = std::max(worked, moved) + one;
  double all = link.stall(worked, static_cast<double>(account.members) * one);
  return static_cast<uint64_t>(std::llround(all + workNs(account.sums, 1, rates)));
}

std::optional<uint64_t> sumNs(const OverlapAccount &account, unsigned pieces, const OverlapRates &rates) {
  if (account.members != OverlapAccount::kFree)
    return overlapNs(account, pieces, rates);
  uint64_t sum = 0;
  for (int64_t members = 2; members <= 1024; members *= 2) {
    OverlapAccount known = account;
    known.members = members;
    uint64_t ns = overlapNs(known, pieces, rates);
    if (ns > overlapNs(known, 1, rates))
      return std::nullopt;
    sum += ns;
  }
  return sum;
}

OverlapChoice choosePieces(const OverlapAccount &account, const OverlapRates &rates) {
  OverlapChoice choice;
  choice.ns = choice.wholeNs = *sumNs(account, 1, rates);
  auto most = static_cast<unsigned>(std::min<int64_t>(kMostPieces, account.extent));
  for (unsigned pieces = 2; pieces <= most; ++pieces) {
    std::optional<uint64_t> ns = sumNs(account, pieces, rates);
    if (ns && (!choice.bestNs || *ns < choice.bestNs))
      choice.bestNs = *ns;
    if (ns && *ns < choice.ns) {
      choice.pieces = pieces;
      choice.ns = *ns;
    }
  }
  return choice;
}

OverlapChoice chooseExpected(const OverlapAccount &account, bool canGoAround, const OverlapRates &rates) {
  OverlapChoice choice = choosePieces(account, rates);
  if (uint64_t ns = canGoAround ? aroundNs(account, rates) : choice.ns; ns < choice.ns) {
    choice.pieces = kAround;
    choice.ns = choice.bestNs = ns;
  }
  return choice;
}

OverlapChoice chooseAmong(const OverlapAccount &account, std::span<const unsigned> counts, const OverlapRates &rates,
                          double gain) {
  OverlapChoice choice;
  choice.ns = choice.wholeNs = overlapNs(account, 1, rates);
  for (unsigned pieces : counts) {
    if (pieces == 1)
      continue;
    uint64_t ns = overlapNs(account, pieces, rates);
    if (!choice.bestNs || ns < choice.bestNs)
      choice.bestNs = ns;
    bool isFaster = choice.pieces != 1 || static_cast<double>(ns) < gain * static_cast<double>(choice.wholeNs);
    if (ns < choice.ns && isFaster) {
      choice.pieces = pieces;
      choice.ns = ns;
    }
  }
  return choice;
}

namespace {

// What each number of pieces takes with one link, as a multiple of the best.
using Multiples = std::vector<double>;

std::vector<Multiples> multiplesOf(const OverlapAccount &account, std::span<const unsigned> counts,
                                   OverlapRates rates) {
  std::vector<int64_t> members = {account.members};
  if (account.members == OverlapAccount::kFree)
    members = {2, 4, 16, 64};
  std::vector<Multiples> all;
  for (double gbps = 1e-3; gbps < 2e3; gbps *= std::sqrt(10))
    for (double us = 0.1; us < 2e5; us *= std::sqrt(10))
      for (int64_t size : members) {
        OverlapAccount known = account;
        known.members = size;
        rates.linkGbps = gbps;
        rates.linkUs = us;
        Multiples &of = all.emplace_back();
        for (unsigned pieces : counts)
          of.push_back(static_cast<double>(std::max<uint64_t>(1, overlapNs(known, pieces, rates))));
        double best = *std::min_element(of.begin(), of.end());
        for (double &ns : of)
          ns /= best;
      }
  return all;
}

} // namespace

std::vector<unsigned> chooseCounts(const OverlapAccount &account, bool canGoAround, unsigned most, OverlapRates rates) {
  constexpr double kGoodEnough = 1.02;
  constexpr int kPower = 16; // a sum of such powers is the worst of them, about, and tells equal ones apart
  std::vector<unsigned> candidates;
  for (unsigned pieces = 1; pieces <= std::min<int64_t>(kMostPieces, std::max<int64_t>(account.extent, 1)); ++pieces)
    candidates.push_back(pieces);
  if (canGoAround)
    candidates.push_back(kAround);
  const std::vector<Multiples> all = multiplesOf(account, candidates, rates);
  std::vector<unsigned> chosen = {1};
  std::vector<double> least; // of those chosen, by link
  for (const Multiples &of : all)
    least.push_back(of[0]);
  auto choose = [&](size_t next) {
    chosen.push_back(candidates[next]);
    for (size_t i = 0; i < all.size(); ++i)
      least[i] = std::min(least[i], all[i][next]);
  };
  unsigned expected = chooseExpected(account, canGoAround, rates).pieces;
  if (expected != 1)
    choose(std::find(candidates.begin(), candidates.end(), expected) - candidates.begin());
  while (chosen.size() < most && *std::max_element(least.begin(), least.end()) > kGoodEnough) {
    size_t next = 0;
    double leastSum = 0;
    for (size_t c = 1; c < candidates.size(); ++c) {
      double sum = 0;
      for (size_t i = 0; i < all.size(); ++i)
        sum += std::pow(std::min(least[i], all[i][c]), kPower);
      if (!next || sum < leastSum) {
        leastSum = sum;
        next = c;
      }
    }
    if (!next)
      break;
    choose(next);
  }
  std::sort(chosen.begin() + 1, chosen.end());
  return chosen;
}

namespace {

// The same of another extent.
OverlapAccount ofExtent(const OverlapAccount &account, int64_t extent) {
  OverlapAccount other = account;
  double share = static_cast<double>(extent) / static_cast<double>(std::max<int64_t>(account.extent, 1));
  auto scale = [&](uint64_t number) {
    return static_cast<uint64_t>(std::llround(share * static_cast<double>(number)));
  };
  other.extent = extent;
  other.movedBytes = scale(other.movedBytes);
  for (auto *works : {&other.works, &other.slices, &other.joins, &other.sums})
    for (OverlapAccount::Work &work : *works)
      work.flops = scale(work.flops), work.bytes = scale(work.bytes);
  return other;
}

} // namespace

FreeChoice chooseFree(const OverlapAccount &account, const OverlapRates &rates, double gain) {
  constexpr int64_t kMostExtent = 1 << 20, kMostPositions = 1 << 16;
  std::vector<int64_t> extents;
  for (int64_t extent = 1; extent <= kMostExtent; extent *= 2) {
    extents.push_back(extent);
    if (extent > 1)
      extents.push_back(extent * 3 / 2);
  }
  // For each extent, of how many pieces the time as a part of the whole's; none that is slower on some mesh.
  std::vector<std::vector<std::optional<double>>> parts;
  for (int64_t extent : extents) {
    OverlapAccount known = ofExtent(account, extent);
    auto whole = static_cast<double>(std::max<uint64_t>(1, *sumNs(known, 1, rates)));
    std::vector<std::optional<double>> &of = parts.emplace_back();
    for (unsigned pieces = 1; pieces <= std::min<int64_t>(kMostOfFree, extent); ++pieces) {
      std::optional<uint64_t> ns = sumNs(known, pieces, rates);
      bool isSlower = !ns || static_cast<double>(*ns) > whole;
      of.push_back(isSlower && pieces > 1 ? std::nullopt : std::optional(static_cast<double>(*ns) / whole));
    }
  }
  FreeChoice best;
  double least = gain * static_cast<double>(extents.size());
  for (unsigned most = 2; most <= kMostOfFree; most *= 2)
    for (int64_t positions = 1; positions <= kMostPositions; positions *= 2) {
      FreeChoice choice{most, positions};
      double sum = 0;
      for (size_t i = 0; i < extents.size(); ++i)
        sum += parts[i][choice.piecesOf(extents[i]) - 1].value_or(static_cast<double>(2 * extents.size()));
      if (sum < least * 0.999) {
        least = sum;
        best = choice;
      }
    }
  return best;
}

} // namespace heddle::contract
