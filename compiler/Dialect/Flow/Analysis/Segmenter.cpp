// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Analysis/Segmenter.h"

#include <algorithm>
#include <set>

using namespace mlir::heddle::flow;

namespace {

// Groups and the edges between them while merging. A group is known by its representative, its smallest member.
class Groups {
public:
  explicit Groups(const SegmentGraph &graph)
      : of(graph.nodes), members(graph.nodes), out(graph.nodes), in(graph.nodes) {
    for (unsigned node = 0; node < graph.nodes; ++node) {
      of[node] = node;
      members[node] = {node};
    }
    for (auto [producer, consumer] : graph.edges) {
      out[producer].insert(consumer);
      in[consumer].insert(producer);
    }
  }

  bool isGroup(unsigned node) const { return of[node] == node; }

  // A path of at least two edges from `producer` to `consumer`: merging the two would close a cycle.
  bool hasDetour(unsigned producer, unsigned consumer) const {
    std::vector<unsigned> work;
    std::set<unsigned> seen{producer};
    for (unsigned next : out[producer])
      if (next != consumer && seen.insert(next).second)
        work.push_back(next);
    while (!work.empty()) {
      unsigned group = work.back();
      work.pop_back();
      for (unsigned next : out[group]) {
        if (next == consumer)
          return true;
        if (seen.insert(next).second)
          work.push_back(next);
      }
    }
    return false;
  }

  // Merges and returns the representative.
  unsigned merge(unsigned a, unsigned b) {
    unsigned keep = std::min(a, b), drop = std::max(a, b);
    for (unsigned node : members[drop])
      of[node] = keep;
    std::vector<unsigned> all;
    std::merge(members[keep].begin(), members[keep].end(), members[drop].begin(), members[drop].end(),
               std::back_inserter(all));
    members[keep] = std::move(all);
    members[drop].clear();
    redirect(out, in, keep, drop);
    redirect(in, out, keep, drop);
    return keep;
  }

  // Merges the group with consumers as long as one can be merged; whether anything changed.
  bool grow(unsigned group, ShouldMerge shouldMerge) {
    bool changed = false;
    for (bool again = true; again;) {
      again = false;
      for (unsigned consumer : std::vector<unsigned>(out[group].begin(), out[group].end()))
        if (shouldMerge(members[group], members[consumer]) && !hasDetour(group, consumer)) {
          group = merge(group, consumer);
          again = changed = true;
          break;
        }
    }
    return changed;
  }

  std::vector<std::vector<unsigned>> topological() const {
    std::vector<std::vector<unsigned>> order;
    std::vector<size_t> waiting(of.size());
    std::set<unsigned> ready;
    for (unsigned node = 0; node < of.size(); ++node)
      if (isGroup(node) && (waiting[node] = in[node].size()) == 0)
        ready.insert(node);
    while (!ready.empty()) {
      unsigned group = *ready.begin();
      ready.erase(ready.begin());
      order.push_back(members[group]);
      for (unsigned next : out[group])
        if (--waiting[next] == 0)
          ready.insert(next);
    }
    return order;
  }

private:
  using Edges = std::vector<std::set<unsigned>>;

  static void redirect(Edges &from, Edges &to, unsigned keep, unsigned drop) {
    for (unsigned other : from[drop]) {
      to[other].erase(drop);
      if (other != keep) {
        from[keep].insert(other);
        to[other].insert(keep);
      }
    }
    from[drop].clear();
    from[keep].erase(drop);
    from[keep].erase(keep);
  }

  std::vector<unsigned> of;
  std::vector<std::vector<unsigned>> members;
  Edges out, in;
};

} // namespace

std::vector<std::vector<unsigned>> mlir::heddle::flow::segment(const SegmentGraph &graph, ShouldMerge shouldMerge) {
  Groups groups(graph);
  // From the last node to the first: a producer sees its consumers' groups as large as they get in this round.
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned node = graph.nodes; node-- > 0;)
      if (groups.isGroup(node))
        changed |= groups.grow(node, shouldMerge);
  }
  return groups.topological();
}
