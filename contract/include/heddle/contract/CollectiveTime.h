// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long a collective takes by a model of the links between its members: what the compiler expects and what a
// simulated device counts.
#ifndef HEDDLE_CONTRACT_COLLECTIVETIME_H
#define HEDDLE_CONTRACT_COLLECTIVETIME_H

#include "heddle/contract/Collectives.h"

#include <algorithm>
#include <cmath>

namespace heddle::contract {

// How many collectives a rank has in flight at once, at most, where they are messages: they begin in the order of the
// program, and the one so many places later waits for its end.
inline constexpr unsigned kCollectivesInFlight = 4;

// Nanoseconds. A collective keeps its members' links busy for `busy` and ends `lag` later, in which others may use the
// links.
struct CollectiveTime {
  double busy = 0, lag = 0;
  double all() const { return busy + lag; }
};

// Of pieces of so many bytes (Collectives.h), where each member has one link: around a ring, each of whose steps moves
// a piece; broadcast, gather and scatter down a tree of two branches; all_reduce in the way of these two that is
// faster. 0 for one member.
inline CollectiveTime collectiveTime(CollectiveKind kind, int64_t members, double bytes, double latencyUs,
                                     double gbps) {
  if (members < 2)
    return {};
  auto n = static_cast<double>(members);
  double depth = std::ceil(std::log2(n));
  auto steps = [&](double count, double moved) { return CollectiveTime{moved / gbps, count * 1000 * latencyUs}; };
  switch (kind) {
  case CollectiveKind::AllGather:
  case CollectiveKind::ReduceScatter:
  case CollectiveKind::AllToAll: return steps(n - 1, (n - 1) * bytes);
  case CollectiveKind::AllReduce: {
    CollectiveTime ring = steps(2 * (n - 1), 2 * (n - 1) / n * bytes), tree = steps(2 * depth, 2 * depth * bytes);
    return tree.all() < ring.all() ? tree : ring;
  }
  case CollectiveKind::Broadcast: return steps(depth, depth * bytes);
  case CollectiveKind::Gather:
  case CollectiveKind::Scatter: return steps(depth, (n - 1) * bytes);
  case CollectiveKind::Permute:
  case CollectiveKind::Exchange: return steps(1, bytes);
  }
  return {};
}

} // namespace heddle::contract

#endif // HEDDLE_CONTRACT_COLLECTIVETIME_H
