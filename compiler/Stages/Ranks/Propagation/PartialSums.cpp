// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/Propagation/PartialSums.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::propagation;

namespace {

using AxisList = SmallVector<unsigned, 2>;
// Nodes that are to hand on, each with one of its operands that are then partial, producers first.
using Chain = llvm::SmallSetVector<std::pair<unsigned, unsigned>, 4>;

class HandOn {
public:
  HandOn(ShardingGraph &graph, const MoveCost &cost)
      : graph(graph), cost(cost), readers(graph.findReaders()), makers(graph.values.size()) {
    for (auto [number, node] : llvm::enumerate(graph.nodes))
      for (const Port &result : node.results)
        makers[result.value] = number;
  }

  void run() {
    for (unsigned number = 0; number < graph.nodes.size(); ++number)
      for (unsigned operand = 0; operand < graph.nodes[number].operands.size(); ++operand)
        if (tryNode(number, operand))
          break;
  }

private:
  static constexpr unsigned kMostDepth = 8;

  // What a value could be a partial sum along, and what has to hand on for that; none: it is none.
  AxisList findSums(unsigned value, Chain &chain, unsigned depth) {
    const Layout &given = graph.values[value].given;
    if (!given.partial.empty())
      return given.reduction == flow::Reduction::Sum ? given.partial : AxisList();
    if (depth == 0 || !makers[value])
      return {};
    unsigned maker = *makers[value];
    for (unsigned operand = 0; operand < graph.nodes[maker].operands.size(); ++operand)
      if (AxisList sums = findOperandSums(maker, operand, chain, depth - 1); !sums.empty()) {
        chain.insert({maker, operand});
        return sums;
      }
    return {};
  }

  // The same of what a node could take of an operand as it lies.
  AxisList findOperandSums(unsigned number, unsigned operand, Chain &chain, unsigned depth) {
    const Node &node = graph.nodes[number];
    if (node.role != Node::Role::Compute || node.isMade || !node.partial.empty() || node.linear.empty() ||
        node.linear[operand].empty())
      return {};
    const Port &port = node.operands[operand];
    Layout lies = graph.values[port.value].given, wanted = node.wanted(graph, port);
    lies.partial.clear();
    if (!graph.areSame(lies, wanted, graph.values[port.value].sizes))
      return {};
    size_t before = chain.size();
    AxisList sums = findSums(port.value, chain, depth);
    bool clashes = llvm::any_of(node.loops, [&](const Loop &loop) {
      return llvm::any_of(loop.cut.axes, [&](unsigned axis) { return llvm::is_contained(sums, axis); }) ||
             !graph.haveOneMesh(loop.cut.axes, sums);
    });
    if (!clashes)
      return sums;
    while (chain.size() > before)
      chain.pop_back();
    return {};
  }

  bool tryNode(unsigned number, unsigned operand) {
    Chain chain;
    AxisList sums = findOperandSums(number, operand, chain, kMostDepth);
    if (sums.empty())
      return false;
    for (unsigned other : graph.nodes[number].linear[operand]) {
      Chain more;
      if (other != operand && findOperandSums(number, other, more, kMostDepth) == sums)
        chain.insert(more.begin(), more.end());
    }
    chain.insert({number, operand});
    llvm::SmallSetVector<unsigned, 8> touched;
    for (auto [node, _] : chain)
      for (const SmallVector<Port> *ports : {&graph.nodes[node].operands, &graph.nodes[node].results})
        for (const Port &port : *ports)
          touched.insert(port.value);
    uint64_t before = bytesOf(touched.getArrayRef());
    for (auto [node, port] : chain)
      set(node, port, sums);
    if (bytesOf(touched.getArrayRef()) < before)
      return true;
    for (auto [node, port] : chain)
      set(node, port, {});
    return false;
  }

  void set(unsigned number, unsigned operand, const AxisList &sums) {
    Node &node = graph.nodes[number];
    node.partial = sums;
    for (Port &port : node.operands)
      port.isPartial = false;
    if (!sums.empty())
      for (unsigned other : node.linear[operand])
        node.operands[other].isPartial = true;
    SmallVector<Cut> loops;
    for (const Loop &loop : node.loops)
      loops.push_back(loop.cut);
    for (const Port &result : node.results) {
      Layout given = graph.givenOf(node, result, loops);
      given.partial.append(sums);
      graph.values[result.value].given = std::move(given);
    }
  }

  // Each wanted layout of a value is made once.
  uint64_t bytesOf(ArrayRef<unsigned> values) const {
    uint64_t bytes = 0;
    for (unsigned value : values)
      for (const Layout &wanted : graph.wantedLayouts(value, readers[value]))
        bytes += cost(value, graph.values[value].given, wanted);
    return bytes;
  }

  ShardingGraph &graph;
  const MoveCost &cost;
  std::vector<SmallVector<unsigned, 4>> readers; // of each value
  std::vector<std::optional<unsigned>> makers;
};

} // namespace

void propagation::handOnPartialSums(ShardingGraph &graph, const MoveCost &cost) { HandOn(graph, cost).run(); }
