// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Analysis/AffinitySolver.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>
#include <queue>

using namespace mlir::heddle::flow;
using llvm::ArrayRef;
using llvm::SmallVector;

llvm::StringRef mlir::heddle::flow::toString(PlacementRule rule) {
  switch (rule) {
  case PlacementRule::Explicit: return "explicit";
  case PlacementRule::Producers: return "follows its operands";
  case PlacementRule::Consumers: return "follows its users";
  case PlacementRule::Cheapest: return "cheapest of several";
  case PlacementRule::Default: return "default device";
  case PlacementRule::Cost: return "cost model";
  }
  llvm_unreachable("rule");
}

namespace {

using Edge = AffinityProblem::Edge;

// Indices of edges, grouped by a node.
class EdgeIndex {
public:
  EdgeIndex(const std::vector<Edge> &edges, size_t nodes, unsigned Edge::*node) : begin(nodes + 1), list(edges.size()) {
    for (const Edge &edge : edges)
      ++begin[edge.*node + 1];
    for (size_t i = 0; i < nodes; ++i)
      begin[i + 1] += begin[i];
    std::vector<unsigned> next(begin.begin(), begin.end() - 1);
    for (auto [i, edge] : llvm::enumerate(edges))
      list[next[edge.*node]++] = i;
  }
  ArrayRef<unsigned> of(unsigned node) const {
    return ArrayRef(list).slice(begin[node], begin[node + 1] - begin[node]);
  }

private:
  std::vector<unsigned> begin, list;
};

// Tarjan's algorithm without recursion. Finds users before producers.
class ComponentFinder {
public:
  ComponentFinder(const AffinityProblem &problem, llvm::function_ref<bool(const Edge &)> counts)
      : problem(problem), counts(counts), out(problem.edges, problem.allowed.size(), &Edge::from),
        number(problem.allowed.size(), kNew), low(number.size()), onStack(number.size()) {}

  std::vector<NodeGroup> run() {
    for (unsigned root = 0; root < number.size(); ++root) {
      if (number[root] == kNew)
        enter(root);
      while (!path.empty())
        step();
    }
    std::reverse(found.begin(), found.end());
    return std::move(found);
  }

private:
  static constexpr unsigned kNew = ~0u;

  void enter(unsigned node) {
    number[node] = low[node] = next++;
    stack.push_back(node);
    onStack[node] = true;
    path.emplace_back(node, 0);
  }

  void step() {
    auto [node, position] = path.back();
    ArrayRef<unsigned> edges = out.of(node);
    if (position == edges.size())
      return leave();
    ++path.back().second;
    const Edge &edge = problem.edges[edges[position]];
    if (!counts(edge))
      return;
    if (number[edge.to] == kNew)
      enter(edge.to);
    else if (onStack[edge.to])
      low[node] = std::min(low[node], number[edge.to]);
  }

  void leave() {
    unsigned node = path.back().first;
    path.pop_back();
    if (!path.empty())
      low[path.back().first] = std::min(low[path.back().first], low[node]);
    if (low[node] != number[node])
      return;
    NodeGroup &members = found.emplace_back();
    do {
      members.push_back(stack.back());
      onStack[stack.back()] = false;
      stack.pop_back();
    } while (members.back() != node);
  }

  const AffinityProblem &problem;
  llvm::function_ref<bool(const Edge &)> counts;
  EdgeIndex out;
  std::vector<unsigned> number, low, stack;
  std::vector<bool> onStack;
  std::vector<std::pair<unsigned, unsigned>> path; // node, position in its edges
  std::vector<NodeGroup> found;
  unsigned next = 0;
};

class Solver {
public:
  Solver(const AffinityProblem &problem, const Topology &topology)
      : problem(problem), topology(topology), nodes(problem.allowed.size()), in(problem.edges, nodes, &Edge::to),
        out(problem.edges, nodes, &Edge::from), component(nodes) {}

  std::vector<Placement> run() {
    findGroups();
    std::vector<unsigned> changed = start();
    while (!changed.empty()) {
      std::vector<unsigned> forward = sweep(changed, /*towardsUsers=*/true);
      llvm::append_range(changed, forward);
      // What a sweep towards producers decided has nothing left to say to them.
      changed = sweep(changed, /*towardsUsers=*/false);
    }
    std::vector<Placement> answers(nodes);
    for (unsigned node = 0; node < nodes; ++node) {
      Component &group = components[component[node]];
      if (!group.decided)
        group.placement.device = group.allowed.empty() ? topology.defaultDevice : group.allowed.front();
      answers[node] = group.placement;
    }
    return answers;
  }

private:
  // Nodes that depend on one another. Numbered in a topological order.
  struct Component {
    SmallVector<unsigned, 1> members;
    SmallVector<unsigned, 1> allowed;
    Placement placement;
    bool decided = false;
  };
  // A neighbour that has a device, and what passes between.
  struct Neighbour {
    const Placement *placement;
    const Edge *edge;
  };

  bool isFixed(unsigned node) const { return problem.allowed[node].size() == 1; }

  // Fixed nodes do not depend on anything.
  void findGroups() {
    std::vector<NodeGroup> found = findComponents(problem, [&](const Edge &edge) { return !isFixed(edge.to); });
    components.resize(found.size());
    for (auto [i, members] : llvm::enumerate(found)) {
      for (unsigned node : members)
        component[node] = i;
      components[i].allowed = common(members);
      components[i].members = std::move(members);
    }
  }

  // Devices that all of the nodes allow; if there is none, those that any of them allows.
  SmallVector<unsigned, 1> common(ArrayRef<unsigned> members) const {
    std::map<unsigned, unsigned> votes;
    unsigned voters = 0;
    for (unsigned node : members) {
      voters += !problem.allowed[node].empty();
      for (unsigned device : problem.allowed[node])
        ++votes[device];
    }
    SmallVector<unsigned, 1> all, any;
    for (auto [device, count] : votes) {
      any.push_back(device);
      if (count == voters)
        all.push_back(device);
    }
    return all.empty() ? any : all;
  }

  std::vector<unsigned> start() {
    std::vector<unsigned> fixed;
    for (auto [i, group] : llvm::enumerate(components))
      if (group.members.size() == 1 && group.allowed.size() == 1) {
        group.placement = {group.allowed.front(), PlacementRule::Explicit, /*definite=*/true, {}};
        group.decided = true;
        fixed.push_back(i);
      }
    return fixed;
  }

  // Decides what depends on `from` (or what it depends on), directly or not, as far as it is undecided, and returns it.
  std::vector<unsigned> sweep(ArrayRef<unsigned> from, bool towardsUsers) {
    // A component's turn comes after that of all it could learn from in this sweep.
    auto later = [&](unsigned a, unsigned b) { return towardsUsers ? a > b : a < b; };
    std::priority_queue<unsigned, std::vector<unsigned>, decltype(later)> queue(later);
    std::vector<unsigned> decided;
    auto pushNeighbours = [&](unsigned group) {
      for (unsigned node : components[group].members)
        for (unsigned edge : (towardsUsers ? out : in).of(node)) {
          const Edge &e = problem.edges[edge];
          unsigned other = component[towardsUsers ? e.to : e.from];
          if (!components[other].decided)
            queue.push(other);
        }
    };
    for (unsigned group : from)
      pushNeighbours(group);
    while (!queue.empty()) {
      unsigned group = queue.top();
      queue.pop();
      if (components[group].decided)
        continue;
      decide(group, towardsUsers);
      decided.push_back(group);
      pushNeighbours(group);
    }
    return decided;
  }

  void decide(unsigned number, bool fromProducers) {
    Component &group = components[number];
    SmallVector<Neighbour> neighbours = collect(number, fromProducers);
    SmallVector<unsigned, 2> candidates(group.allowed.begin(), group.allowed.end());
    bool definite = true;
    for (const Neighbour &neighbour : neighbours) {
      definite &= neighbour.placement->definite;
      if (group.allowed.empty())
        candidates.push_back(neighbour.placement->device);
    }
    llvm::sort(candidates);
    candidates.erase(llvm::unique(candidates), candidates.end());
    group.decided = true;
    group.placement.device = candidates.front();
    group.placement.definite = definite && candidates.size() == 1;
    group.placement.rule = fromProducers ? PlacementRule::Producers : PlacementRule::Consumers;
    if (candidates.size() == 1)
      return;
    group.placement.rule = PlacementRule::Cheapest;
    group.placement.device = cheapest(candidates, neighbours, fromProducers);
    group.placement.candidates = std::move(candidates);
  }

  SmallVector<Neighbour> collect(unsigned number, bool producers) const {
    SmallVector<Neighbour> all, tied;
    for (unsigned node : components[number].members)
      for (unsigned index : (producers ? in : out).of(node)) {
        const Edge &edge = problem.edges[index];
        unsigned other = component[producers ? edge.from : edge.to];
        if (other == number || !components[other].decided)
          continue;
        all.push_back({&components[other].placement, &edge});
        if (edge.tied)
          tied.push_back(all.back());
      }
    return tied.empty() ? all : tied;
  }

  unsigned cheapest(ArrayRef<unsigned> candidates, ArrayRef<Neighbour> neighbours, bool producers) const {
    std::vector<uint64_t> costs;
    for (unsigned candidate : candidates) {
      uint64_t cost = 0;
      for (const Neighbour &neighbour : neighbours) {
        unsigned other = neighbour.placement->device;
        uint64_t once = producers ? topology.moveNs(other, candidate, neighbour.edge->bytes)
                                  : topology.moveNs(candidate, other, neighbour.edge->bytes);
        cost += once * neighbour.edge->runs;
      }
      costs.push_back(cost);
    }
    return candidates[std::min_element(costs.begin(), costs.end()) - costs.begin()];
  }

  const AffinityProblem &problem;
  const Topology &topology;
  size_t nodes;
  EdgeIndex in, out;
  std::vector<unsigned> component; // of each node
  std::vector<Component> components;
};

} // namespace

std::vector<NodeGroup> mlir::heddle::flow::findComponents(const AffinityProblem &problem,
                                                          llvm::function_ref<bool(const Edge &)> counts) {
  return ComponentFinder(problem, counts).run();
}

std::vector<Placement> mlir::heddle::flow::solveAffinities(const AffinityProblem &problem, const Topology &topology) {
  return Solver(problem, topology).run();
}
