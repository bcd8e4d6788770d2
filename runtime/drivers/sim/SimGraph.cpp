// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drivers/sim/SimGraph.h"

#include <algorithm>
#include <queue>
#include <tuple>

namespace heddle::sim {
namespace {

// Of two that are equal the first stays: so the cause of a time is the one that was named first.
void raise(SimPoint &point, const SimPoint &other) {
  if (other.ns > point.ns)
    point = other;
}

} // namespace

void SimGraph::clear() {
  nodes_.assign(1, SimNode{.kind = SimNode::Known});
  soonNs_.assign(1, 0);
  busy_.clear();
  busyNs_.clear();
}

uint32_t SimGraph::add(const SimNode &node) {
  uint64_t end = node.kind == SimNode::Known ? node.known.ns : 0;
  for (uint32_t before : node.after)
    end = std::max(end, soonNs_[before]);
  if (node.kind == SimNode::Operation) {
    uint64_t &busy = busyNs_[node.resource];
    busy = std::max(end, busy) + node.ns;
    end = busy + node.lagNs;
  }
  nodes_.push_back(node);
  soonNs_.push_back(end);
  return static_cast<uint32_t>(nodes_.size() - 1);
}

void SimGraph::link(uint32_t join, uint32_t before) {
  nodes_[join].after[2] = before;
  soonNs_[join] = std::max(soonNs_[join], soonNs_[before]);
}

uint32_t SimGraph::text(const std::string &text) {
  auto [at, isNew] = numbers_.try_emplace(text, static_cast<uint32_t>(texts_.size()));
  if (isNew)
    texts_.push_back(&at->first);
  return at->second;
}

void SimGraph::occupy(uint32_t resource, SimPoint until) {
  raise(busy_[resource], until);
  busyNs_[resource] = busy_[resource].ns;
}

class SimGraph::Placement {
public:
  Placement(const SimGraph &graph, int64_t first) : graph_(graph), free_(graph.busy_), arrivals_(Later{graph}) {
    const std::vector<SimNode> &nodes = graph.nodes_;
    places_.resize(nodes.size());
    missing_.assign(nodes.size(), 0);
    numbers_.assign(nodes.size(), SimPoint::kNone);
    firstBehind_.assign(nodes.size() + 1, 0);
    for (uint32_t i = 1; i < nodes.size(); ++i)
      for (uint32_t before : nodes[i].after)
        ++firstBehind_[before + 1];
    for (size_t i = 1; i < firstBehind_.size(); ++i)
      firstBehind_[i] += firstBehind_[i - 1];
    behind_.resize(firstBehind_.back());
    std::vector<uint32_t> next(firstBehind_.begin(), firstBehind_.end() - 1);
    for (uint32_t i = 1; i < nodes.size(); ++i) {
      missing_[i] = static_cast<uint8_t>(std::size(nodes[i].after));
      if (nodes[i].kind == SimNode::Operation)
        numbers_[i] = first++;
      for (uint32_t before : nodes[i].after)
        behind_[next[before]++] = i;
    }
  }

  std::vector<SimPlace> run() {
    const std::vector<SimNode> &nodes = graph_.nodes_;
    finish(SimNode::kStart, {});
    while (!arrivals_.empty()) {
      auto [ns, i] = arrivals_.top();
      arrivals_.pop();
      SimPoint &busy = free_[nodes[i].resource];
      raise(places_[i].begin, busy);
      busy = {places_[i].begin.ns + nodes[i].ns, numbers_[i]};
      finish(i, {busy.ns + nodes[i].lagNs, numbers_[i]});
    }
    return std::move(places_);
  }
  std::map<uint32_t, SimPoint> &freeAt() { return free_; }

private:
  using Arrival = std::pair<uint64_t, uint32_t>; // when, and the node
  struct Later {
    const SimGraph &graph;
    bool operator()(const Arrival &a, const Arrival &b) const {
      if (a.first != b.first)
        return a.first > b.first;
      const SimNode &x = graph[a.second], &y = graph[b.second];
      auto name = [&](const SimNode &n, uint32_t number) {
        return std::make_tuple(std::cref(graph.textOf(n.host)), std::cref(graph.textOf(n.device)), n.stream,
                               std::cref(graph.textOf(n.name)), n.sequence, number);
      };
      return name(x, a.second) > name(y, b.second);
    }
  };

  // The node ends, and with it all that needs nothing else: without recursion, as chains are long.
  void finish(uint32_t node, SimPoint end) {
    places_[node].end = end;
    ended_.push_back(node);
    while (!ended_.empty()) {
      uint32_t done = ended_.back();
      ended_.pop_back();
      places_[done].isPlaced = true;
      for (uint32_t i = firstBehind_[done]; i < firstBehind_[done + 1]; ++i)
        if (--missing_[behind_[i]] == 0)
          arrive(behind_[i]);
    }
  }

  // All that it comes after has ended.
  void arrive(uint32_t i) {
    const SimNode &node = graph_[i];
    SimPoint at;
    for (uint32_t before : node.after)
      raise(at, places_[before].end);
    places_[i].begin = at;
    if (node.kind == SimNode::Operation) {
      arrivals_.push({at.ns, i});
      return;
    }
    places_[i].end = node.kind == SimNode::Known ? node.known : at;
    ended_.push_back(i);
  }

  const SimGraph &graph_;
  std::vector<SimPlace> places_;
  std::vector<uint8_t> missing_; // of what each node comes after
  std::vector<int64_t> numbers_; // of operations
  std::vector<uint32_t> behind_; // what comes after node i: from firstBehind_[i] to firstBehind_[i + 1]
  std::vector<uint32_t> firstBehind_;
  std::vector<uint32_t> ended_;
  std::map<uint32_t, SimPoint> free_;
  std::priority_queue<Arrival, std::vector<Arrival>, Later> arrivals_;
};

std::vector<SimPlace> SimGraph::place(int64_t first, std::map<uint32_t, SimPoint> *freeAt) const {
  Placement placement(*this, first);
  std::vector<SimPlace> places = placement.run();
  if (freeAt)
    *freeAt = std::move(placement.freeAt());
  return places;
}

} // namespace heddle::sim
