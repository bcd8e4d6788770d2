// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/Propagation/Estimate.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::propagation;

// Into how many parts; an axis of free size counts as two.
static double countParts(const ShardingGraph &graph, ArrayRef<unsigned> axes) {
  double parts = 1;
  for (unsigned axis : axes)
    parts *= graph.axes[axis].size == Axis::kFree ? 2 : graph.axes[axis].size;
  return parts;
}

static double countParts(const ShardingGraph &graph, const Layout &layout) {
  double parts = 1;
  for (const Cut &cut : layout.dims)
    parts *= countParts(graph, cut.axes);
  return parts;
}

// Operations on numbers, of the rank's part.
static double countWork(const ProgramGraph &program, const Node &node) {
  SmallVector<double> extents(node.loops.size(), 1);
  for (const SmallVector<Port> *ports : {&node.operands, &node.results})
    for (const Port &port : *ports)
      for (auto [link, size] : llvm::zip_equal(port.dims, program.getEstimates(port.value)))
        if (link.loop)
          extents[*link.loop] = std::max<double>(
              extents[*link.loop], double(size) / double(link.inner.getConstant().value_or(1)));
  double work = 1;
  for (auto [loop, extent] : llvm::zip_equal(node.loops, extents))
    work *= std::max(extent / countParts(program.graph, loop.cut.axes), 1.0);
  return work;
}

Estimate propagation::estimate(func::FuncOp function, const ProgramGraph &program, Moves &moves,
                               const flow::DeviceModel &device, const flow::Link &link) {
  const ShardingGraph &graph = program.graph;
  Estimate result;
  for (const Node &node : graph.nodes) {
    if (node.role != Node::Role::Compute)
      continue;
    bool reduces = llvm::any_of(node.loops, [](const Loop &loop) { return loop.kind == Loop::Kind::Reduced; });
    double ns = countWork(program, node) * (reduces ? 2 : 1) / device.gflops, bytes = 0;
    for (const Port &operand : node.operands)
      bytes += graph.values[operand.value].bytes / countParts(graph, node.wanted(graph, operand));
    for (const Port &port : node.results)
      bytes += graph.values[port.value].bytes / countParts(graph, graph.values[port.value].given);
    result.computeNs += reduces ? std::max(ns, bytes / device.memoryGbps) : ns;
  }
  for (const Move &move : findMoves(function, program, moves)) {
    ReshardPlan plan = moves.plan(move.value, graph.values[move.value].given, move.wanted);
    int64_t steps = llvm::count_if(plan.steps, [](const ReshardStep &step) { return step.communicates(); });
    result.moveNs += bytesOf(plan) / link.bandwidthGbps + steps * link.latencyUs * 1000;
  }
  return result;
}
