// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/Propagation/Solver.h"

#include "compiler/Stages/Ranks/Propagation/PartialSums.h"
#include "compiler/Stages/Ranks/Propagation/Windows.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::propagation;

Solver::Solver(ShardingGraph &graph, MoveCost cost) : graph(graph), cost(std::move(cost)) {
  users.resize(graph.values.size());
  for (auto [number, node] : llvm::enumerate(graph.nodes))
    for (const SmallVector<Port> *ports : {&node.operands, &node.results})
      for (const Port &port : *ports)
        if (users[port.value].empty() || users[port.value].back() != number)
          users[port.value].push_back(number);
}

void Solver::run(std::vector<Seed> seeds) {
  // Until its turn comes, what a request is of stays whole.
  for (const Seed &seed : seeds) {
    graph.request(seed.value, seed.dim, {});
    llvm::append_range(graph.values[seed.value].reserved, seed.cut.axes);
  }
  for (unsigned node = 0; node < graph.nodes.size(); ++node)
    changed.insert(node);
  propagate();
  llvm::stable_sort(seeds, [](const Seed &a, const Seed &b) { return a.priority < b.priority; });
  for (size_t i = 0; i < seeds.size(); ++i) {
    graph.request(seeds[i].value, seeds[i].dim, seeds[i].cut, seeds[i].staysOpen);
    llvm::erase_if(graph.values[seeds[i].value].reserved,
                   [&](unsigned axis) { return llvm::is_contained(seeds[i].cut.axes, axis); });
    touch(seeds[i].value);
    if (i + 1 == seeds.size() || seeds[i + 1].priority != seeds[i].priority)
      propagate();
  }
  for (unsigned node = 0; node < graph.nodes.size(); ++node)
    decide(node);
  constexpr int kMostSweeps = 4;
  for (int sweep = 0; sweep < kMostSweeps && improve(); ++sweep)
    continue;
  gatherOnce(graph, cost);
  handOnPartialSums(graph, cost);
  for (Node &node : llvm::reverse(graph.nodes))
    if (node.isMade)
      follow(node);
}

// As the readers want the result, where all of them want it alike; else each takes its part of the whole.
void Solver::follow(Node &node) {
  SmallVector<Cut> loops(node.loops.size());
  for (const Port &result : node.results) {
    SmallVector<Layout> wants = wantsOf(result.value);
    graph.values[result.value].cuts =
        wants.size() == 1 ? wants.front().withoutWindows().dims : SmallVector<Cut>(result.dims.size(), Cut{});
    add(loops, node, result);
  }
  for (auto [loop, cut] : llvm::zip_equal(node.loops, loops))
    loop.cut = cut;
  for (const Port &result : node.results)
    give(result.value, graph.givenOf(node, result, loops));
}

void Solver::touch(unsigned value) { changed.insert(users[value].begin(), users[value].end()); }

//===--- Propagation ---------------------------------------------------------------------------------------------===//

void Solver::propagate() {
  for (Reach reach : {Reach::Elementwise, Reach::Parallel, Reach::All}) {
    std::set<unsigned> nodes = changed; // those that a wider reach has to see as well
    while (!changed.empty()) {
      unsigned node = *changed.begin();
      changed.erase(changed.begin());
      nodes.insert(node);
      visit(node, reach);
    }
    if (reach != Reach::All)
      changed = std::move(nodes);
  }
}

SmallVector<Solver::Proposal> Solver::proposalsOf(const Port &port, const Node &node, Reach reach) const {
  SmallVector<Proposal> proposals;
  const ShardedValue &value = graph.values[port.value];
  for (auto [cut, link, size] : llvm::zip_equal(value.cuts, port.dims, value.sizes)) {
    if (cut.empty())
      continue;
    if (std::optional<Cut> loop = graph.toLoop(cut, link, size, node))
      proposals.push_back({*link.loop, *loop});
    else if (link.reached && reach == Reach::All)
      if (std::optional<Cut> loop = graph.toReachingLoop(cut, link, node))
        proposals.push_back({*link.reached, *loop});
  }
  return proposals;
}

// How many axes both begin with, cutting alike.
static unsigned countCommon(const ShardingGraph &graph, const Cut &a, const Cut &b, int64_t extent) {
  unsigned common = 0;
  while (common < std::min(a.axes.size(), b.axes.size()) && a.axes[common] == b.axes[common])
    ++common;
  Cut one{SmallVector<unsigned, 2>(ArrayRef(a.axes).take_front(common)), a.granule};
  Cut other{one.axes, b.granule};
  return common && graph.areSame(one, other, extent) ? common : 0;
}

Cut Solver::agree(ArrayRef<Cut> proposals, int64_t extent, bool &disagree) const {
  const Cut *longest = nullptr;
  for (const Cut &cut : proposals)
    if (!longest || cut.axes.size() > longest->axes.size())
      longest = &cut;
  if (!longest)
    return {};
  unsigned length = longest->axes.size();
  for (const Cut &cut : proposals) {
    unsigned common = countCommon(graph, *longest, cut, extent);
    if (common == cut.axes.size())
      continue;
    disagree = true;
    length = std::min(length, common);
  }
  return length ? Cut{SmallVector<unsigned, 2>(ArrayRef(longest->axes).take_front(length)), longest->granule} : Cut{};
}

SmallVector<Cut> Solver::agree(const Node &node, bool &disagree, Reach reach) const {
  SmallVector<SmallVector<Cut>> proposed(node.loops.size());
  for (const SmallVector<Port> *ports : {&node.operands, &node.results})
    for (const Port &port : *ports)
      for (Proposal &proposal : proposalsOf(port, node, reach))
        proposed[proposal.loop].push_back(std::move(proposal.cut));
  SmallVector<Cut> agreed;
  for (auto [loop, cuts] : llvm::zip_equal(node.loops, proposed))
    agreed.push_back(agree(cuts, loop.extent, disagree));
  return agreed;
}

void Solver::visit(unsigned number, Reach reach) {
  Node &node = graph.nodes[number];
  SmallVector<Cut> agreed;
  bool disagree = false;
  if (node.role == Node::Role::Fixed) {
    for (const Loop &loop : node.loops)
      agreed.push_back(loop.cut);
  } else if (reach == Reach::Elementwise && !node.isElementwise()) {
    return;
  } else {
    agreed = agree(node, disagree, reach);
  }
  if (node.passes == Node::Passes::Both || node.passes == Node::Passes::Backward)
    for (Port &port : node.operands)
      extend(port, agreed, node, reach);
  if (node.passes == Node::Passes::Both || node.passes == Node::Passes::Forward)
    for (Port &port : node.results)
      extend(port, agreed, node, reach);
}

// What each open dimension may take of what its loop agreed on: no axis that the value has elsewhere, or that two of
// its dimensions could take, of which one may have to wait for a wider reach.
void Solver::extend(Port &port, ArrayRef<Cut> agreed, const Node &node, Reach reach) {
  ShardedValue &value = graph.values[port.value];
  SmallVector<Cut> wanted = value.cuts;
  llvm::SmallDenseMap<unsigned, unsigned> uses; // of axes, by how many dimensions
  SmallVector<unsigned> having;
  for (auto [dim, link] : llvm::enumerate(port.dims)) {
    const Cut &own = value.cuts[dim];
    llvm::append_range(having, own.axes);
    if (!link.loop || !value.open[dim] || agreed[*link.loop].axes.size() <= own.axes.size())
      continue;
    std::optional<Cut> present = graph.toLoop(own, link, value.sizes[dim], node);
    int64_t extent = node.loops[*link.loop].extent;
    if (present && countCommon(graph, agreed[*link.loop], *present, extent) == own.axes.size())
      wanted[dim] = graph.toDim(agreed[*link.loop], link);
  }
  for (const Cut &cut : wanted)
    for (unsigned axis : cut.axes)
      ++uses[axis];
  for (unsigned axis : value.reserved)
    ++uses[axis];
  bool grew = false;
  for (auto [dim, cut] : llvm::enumerate(wanted)) {
    unsigned length = value.cuts[dim].axes.size();
    bool waits = port.dims[dim].loop && node.loops[*port.dims[dim].loop].kind == Loop::Kind::Reduced;
    if (waits && node.role == Node::Role::Compute && reach != Reach::All)
      continue;
    while (length < cut.axes.size() && uses[cut.axes[length]] == 1 && graph.haveOneMesh(cut.axes[length], having))
      ++length;
    if (length == value.cuts[dim].axes.size())
      continue;
    cut.axes.truncate(length);
    value.cuts[dim] = cut;
    grew = true;
  }
  if (grew)
    touch(port.value);
}

//===--- Decisions -----------------------------------------------------------------------------------------------===//

void Solver::decide(unsigned number) {
  Node &node = graph.nodes[number];
  if (node.isMade)
    return;
  if (node.role == Node::Role::Compute)
    decideCompute(number);
  else if (node.role == Node::Role::Carry)
    decideCarry(node);
  else if (node.role == Node::Role::Request)
    giveRequested(node.results.front().value);
  propagate();
}

// What is wanted of a dimension stays where the axes are only to be combined along: whoever reads it scatters then.
void Solver::give(unsigned number, Layout layout) {
  ShardedValue &value = graph.values[number];
  for (auto [cut, given] : llvm::zip_equal(value.cuts, layout.dims)) {
    bool isPending = !cut.empty() && given.empty() &&
                     llvm::all_of(cut.axes, [&](unsigned axis) { return llvm::is_contained(layout.partial, axis); });
    if (!isPending)
      cut = given;
  }
  value.open.assign(value.open.size(), false);
  value.given = std::move(layout);
  touch(number);
}

// With the partial sums that the request leaves.
void Solver::giveRequested(unsigned number) {
  Layout layout = graph.values[number].given;
  layout.dims = graph.values[number].cuts;
  give(number, std::move(layout));
}

void Solver::decideCompute(unsigned number) {
  Node &node = graph.nodes[number];
  bool disagree = false;
  SmallVector<Cut> loops = agree(node, disagree);
  llvm::SmallDenseSet<unsigned> seen;
  ArrayRef<unsigned> first;
  for (const Cut &cut : loops) {
    for (unsigned axis : cut.axes)
      disagree |= !seen.insert(axis).second;
    disagree |= !graph.haveOneMesh(first, cut.axes);
    first = first.empty() ? ArrayRef<unsigned>(cut.axes) : first;
  }
  if (disagree)
    loops = resolve(number);
  for (auto [loop, cut] : llvm::zip_equal(node.loops, loops))
    loop.cut = cut;
  for (const Port &result : node.results)
    give(result.value, graph.givenOf(node, result, loops));
}

// One value for all of its operands. Where they disagree, as what is yielded last: that is read most often.
void Solver::decideCarry(const Node &node) {
  if (node.operands.empty())
    return give(node.results.front().value, {graph.values[node.results.front().value].cuts, {}});
  unsigned number = node.results.front().value;
  ShardedValue &value = graph.values[number];
  const ShardedValue &last = graph.values[node.operands.back().value];
  llvm::SmallDenseSet<unsigned> used;
  for (const Cut &cut : value.cuts)
    used.insert(cut.axes.begin(), cut.axes.end());
  for (auto [dim, cut] : llvm::enumerate(value.cuts)) {
    const Cut &other = last.cuts[dim];
    if (!cut.empty() || !value.open[dim] ||
        llvm::any_of(other.axes, [&](unsigned axis) { return used.contains(axis); }))
      continue;
    cut = other;
    used.insert(other.axes.begin(), other.axes.end());
  }
  give(number, {value.cuts, {}});
}

//===--- Conflicts -----------------------------------------------------------------------------------------------===//

// Cuts the loops as the value has its dimensions, as far as they are not cut otherwise by now.
void Solver::add(SmallVector<Cut> &loops, const Node &node, const Port &port) const {
  for (const Proposal &proposal : proposalsOf(port, node)) {
    Cut &cut = loops[proposal.loop];
    int64_t extent = node.loops[proposal.loop].extent;
    if (countCommon(graph, cut, proposal.cut, extent) != cut.axes.size())
      continue;
    SmallVector<unsigned> used;
    for (auto [number, other] : llvm::enumerate(loops))
      if (number != proposal.loop)
        llvm::append_range(used, other.axes);
    unsigned length = cut.axes.size();
    while (length < proposal.cut.axes.size() && !llvm::is_contained(used, proposal.cut.axes[length]) &&
           graph.haveOneMesh(proposal.cut.axes[length], used))
      ++length;
    if (length > cut.axes.size()) {
      cut = proposal.cut;
      cut.axes.truncate(length);
    }
  }
}

// As each operand or result has it, completed by the others, the largest first.
SmallVector<SmallVector<Cut>> Solver::enumerate(const Node &node) const {
  SmallVector<const Port *> ports;
  for (const SmallVector<Port> *list : {&node.results, &node.operands})
    for (const Port &port : *list)
      ports.push_back(&port);
  // Of equal ones those that were not computed: parameters stay where they are.
  llvm::stable_sort(ports, [&](const Port *a, const Port *b) {
    const ShardedValue &one = graph.values[a->value], &other = graph.values[b->value];
    return std::make_pair(one.bytes, one.isSource) > std::make_pair(other.bytes, other.isSource);
  });
  SmallVector<SmallVector<Cut>> choices;
  for (const Port *first : ports) {
    SmallVector<Cut> loops(node.loops.size());
    add(loops, node, *first);
    for (const Port *port : ports)
      add(loops, node, *port);
    if (!llvm::is_contained(choices, loops))
      choices.push_back(std::move(loops));
  }
  return choices;
}

// A value that is read twice alike moves once.
uint64_t Solver::costOfOperands(const Node &node, ArrayRef<Cut> loops) const {
  uint64_t bytes = 0;
  SmallVector<std::pair<unsigned, Layout>> moved;
  for (const Port &operand : node.operands) {
    std::pair<unsigned, Layout> move{operand.value, graph.wantedOf(operand, loops)};
    if (llvm::is_contained(moved, move))
      continue;
    bytes += cost(operand.value, graph.values[operand.value].given, move.second);
    moved.push_back(std::move(move));
  }
  return bytes;
}

uint64_t Solver::costOf(const Node &node, ArrayRef<Cut> loops) const {
  uint64_t bytes = costOfOperands(node, loops);
  for (const Port &result : node.results) {
    const ShardedValue &value = graph.values[result.value];
    Layout given = graph.givenOf(node, result, loops);
    bool isWanted = llvm::any_of(value.cuts, [](const Cut &cut) { return !cut.empty(); });
    bool isPinned = llvm::is_contained(value.open, false);
    bytes += cost(result.value, given, Layout{isWanted || isPinned ? value.cuts : given.dims, {}});
  }
  return bytes;
}

SmallVector<Cut> Solver::resolve(unsigned number) {
  const Node &node = graph.nodes[number];
  // Of those that move as much the one that divides the work most.
  Conflict conflict{number, {}};
  for (SmallVector<Cut> &loops : enumerate(node)) {
    uint64_t bytes = costOf(node, loops);
    conflict.choices.push_back({std::move(loops), bytes});
  }
  llvm::stable_sort(conflict.choices, [&](const Conflict::Choice &a, const Conflict::Choice &b) {
    return std::make_pair(a.bytes, -countParts(a.loops)) < std::make_pair(b.bytes, -countParts(b.loops));
  });
  SmallVector<Cut> taken = conflict.choices.front().loops;
  graph.conflicts.push_back(std::move(conflict));
  return taken;
}

//===--- Improvement ---------------------------------------------------------------------------------------------===//

// What all readers of a node's results are given by now, and what operands need, in bytes.
uint64_t Solver::costAround(unsigned number, ArrayRef<Cut> loops) const {
  const Node &node = graph.nodes[number];
  uint64_t bytes = costOfOperands(node, loops);
  for (const Port &result : node.results) {
    Layout given = graph.givenOf(node, result, loops);
    for (const Layout &wanted : wantsOf(result.value))
      bytes += cost(result.value, given, wanted);
  }
  return bytes;
}

// The different layouts that readers want, but those that a request keeps to itself.
SmallVector<Layout> Solver::wantsOf(unsigned value) const {
  SmallVector<Layout> wants;
  for (unsigned user : users[value])
    for (const Port &operand : graph.nodes[user].operands) {
      Node::Passes passes = graph.nodes[user].passes;
      if (operand.value != value || passes == Node::Passes::None || passes == Node::Passes::Forward)
        continue;
      Layout wanted = graph.nodes[user].wanted(graph, operand);
      if (llvm::none_of(wants,
                        [&](const Layout &one) { return graph.areSame(one, wanted, graph.values[value].sizes); }))
        wants.push_back(std::move(wanted));
    }
  return wants;
}

int64_t Solver::countParts(ArrayRef<Cut> loops) const {
  int64_t parts = 1;
  for (const Cut &cut : loops)
    parts *= graph.countParts(cut.axes).value_or(2);
  return parts;
}

// Against the order of the program: a node that gives more than its readers want gives what they want where this moves
// no more bytes. Whether anything changed.
bool Solver::improve() {
  bool improved = false;
  for (unsigned number = graph.nodes.size(); number-- > 0;) {
    Node &node = graph.nodes[number];
    if (node.role != Node::Role::Compute || node.isMade)
      continue;
    SmallVector<Cut> best;
    for (const Loop &loop : node.loops)
      best.push_back(loop.cut);
    auto rank = [&](ArrayRef<Cut> loops) { return std::make_pair(costAround(number, loops), -countParts(loops)); };
    auto least = rank(best);
    bool better = false;
    for (const Port &result : node.results)
      for (const Layout &wanted : wantsOf(result.value)) {
        ShardedValue &value = graph.values[result.value];
        SmallVector<Cut> cuts = value.cuts, loops(node.loops.size());
        value.cuts = wanted.withoutWindows().dims;
        add(loops, node, result);
        value.cuts = std::move(cuts);
        if (auto costs = rank(loops); countParts(loops) > 1 && costs < least) {
          least = costs;
          best = std::move(loops);
          better = true;
        }
      }
    if (!better)
      continue;
    improved = true;
    for (auto [loop, cut] : llvm::zip_equal(node.loops, best))
      loop.cut = cut;
    for (const Port &result : node.results)
      give(result.value, graph.givenOf(node, result, best));
    for (Conflict &conflict : graph.conflicts)
      if (conflict.node == number)
        conflict.choices.insert(conflict.choices.begin(), {best, least.first});
  }
  changed.clear();
  return improved;
}
