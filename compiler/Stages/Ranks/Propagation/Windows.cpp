// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/Propagation/Windows.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::propagation;

namespace {

class GatherOnce {
public:
  GatherOnce(ShardingGraph &graph, const MoveCost &cost) : graph(graph), cost(cost), readers(graph.findReaders()) {}

  void run() {
    constexpr int kMostSweeps = 4;
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
      for (unsigned value = 0; value < graph.values.size(); ++value) {
        gather(value);
        gatherPositions(value);
      }
      bool changed = false;
      // Against the order: what readers read whole is known first.
      for (Node &node : llvm::reverse(graph.nodes))
        changed |= node.role == Node::Role::Compute && joinWhole(node);
      if (!changed)
        break;
    }
  }

private:
  // Each wanted layout of a value is made once.
  uint64_t bytesOf(unsigned value) const {
    uint64_t bytes = 0;
    for (const Layout &wanted : graph.wantedLayouts(value, readers[value]))
      bytes += cost(value, graph.values[value].given, wanted);
    return bytes;
  }

  // The ports that read the value in windows by now.
  SmallVector<Port *> windowsOf(unsigned value) {
    SmallVector<Port *> ports;
    for (unsigned reader : readers[value])
      for (Port &operand : graph.nodes[reader].operands)
        if (operand.value == value)
          if (Layout wanted = graph.nodes[reader].wanted(graph, operand);
              llvm::any_of(wanted.dims, [](const Cut &cut) { return cut.window.has_value(); }))
            ports.push_back(&operand);
    return ports;
  }

  void gather(unsigned value) {
    SmallVector<Port *> ports = windowsOf(value);
    if (ports.empty() || readers[value].size() < 2)
      return;
    uint64_t before = bytesOf(value);
    for (Port *port : ports)
      port->takesWhole = true;
    if (bytesOf(value) <= before && before != 0)
      return;
    for (Port *port : ports)
      port->takesWhole = false;
  }

  static SmallVector<Cut> loopsOf(const Node &node, bool withPositions = true) {
    return llvm::map_to_vector(node.loops, [&](const Loop &loop) {
      return withPositions || loop.kind != Loop::Kind::Reduced ? loop.cut : Cut();
    });
  }

  // The nodes that have single positions of the value from the ranks that have them, each by a sum.
  SmallVector<unsigned> findPositions(unsigned value) const {
    SmallVector<unsigned> found;
    for (unsigned reader : readers[value]) {
      const Node &node = graph.nodes[reader];
      if (node.takesPosition && node.partial.empty() && loopsOf(node) != loopsOf(node, false))
        found.push_back(reader);
    }
    return found;
  }

  // All of the value instead, once, where that is fewer bytes.
  void gatherPositions(unsigned value) {
    SmallVector<unsigned> slices = findPositions(value);
    if (slices.empty())
      return;
    auto count = [&] {
      uint64_t bytes = bytesOf(value);
      for (unsigned slice : slices)
        for (const Port &result : graph.nodes[slice].results)
          bytes += bytesOf(result.value);
      return bytes;
    };
    uint64_t before = count();
    SmallVector<SmallVector<Cut>> kept;
    for (unsigned slice : slices) {
      kept.push_back(loopsOf(graph.nodes[slice]));
      set(graph.nodes[slice], loopsOf(graph.nodes[slice], false));
    }
    if (count() <= before)
      return;
    for (auto [slice, loops] : llvm::zip_equal(slices, kept))
      set(graph.nodes[slice], loops);
  }

  void set(Node &node, ArrayRef<Cut> loops) {
    for (auto [loop, cut] : llvm::zip_equal(node.loops, loops))
      loop.cut = cut;
    for (const Port &result : node.results)
      graph.values[result.value].given = graph.givenOf(node, result, loops);
  }

  uint64_t bytesAround(const Node &node) const {
    uint64_t bytes = 0;
    SmallVector<unsigned> counted;
    for (const SmallVector<Port> *ports : {&node.operands, &node.results})
      for (const Port &port : *ports)
        if (!llvm::is_contained(counted, port.value)) {
          bytes += bytesOf(port.value);
          counted.push_back(port.value);
        }
    return bytes;
  }

  // A node that reads a value in windows, or could, without a cut of the loops that reach it: where fewer bytes move.
  bool joinWhole(Node &node) {
    SmallVector<Cut> loops, without;
    for (const Loop &loop : node.loops)
      loops.push_back(loop.cut);
    without = loops;
    for (const Port &operand : node.operands)
      for (const Link &link : operand.dims)
        if (link.reached)
          without[*link.reached] = {};
    if (without == loops || !node.partial.empty())
      return false;
    uint64_t before = bytesAround(node);
    set(node, without);
    if (bytesAround(node) < before)
      return true;
    set(node, loops);
    return false;
  }

  ShardingGraph &graph;
  const MoveCost &cost;
  std::vector<SmallVector<unsigned, 4>> readers; // of each value
};

} // namespace

void propagation::gatherOnce(ShardingGraph &graph, const MoveCost &cost) { GatherOnce(graph, cost).run(); }
