// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/Propagation/Estimate.h"

#include "compiler/Dialect/Flow/Analysis/AffinityGraph.h"
#include "compiler/Dialect/Heddle/IR/Expect.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

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

// The positions of the largest part.
static double sizeOfPart(const ShardingGraph &graph, DictionaryAttr expected, double extent, const Cut &cut) {
  if (cut.empty())
    return extent;
  double granule = cut.granule.factor;
  for (StringAttr name : cut.granule.names) {
    auto size = expected ? expected.getAs<IntegerAttr>(name) : IntegerAttr();
    granule *= size ? size.getInt() : flow::kUnknownSize;
  }
  return std::min(extent, std::ceil(extent / granule / countParts(graph, cut.axes)) * granule);
}

static double bytesOfPart(const ProgramGraph &program, DictionaryAttr expected, unsigned value, const Layout &layout) {
  double bytes = program.graph.values[value].bytes;
  for (auto [cut, size] : llvm::zip_equal(layout.dims, program.getEstimates(value)))
    if (size > 0)
      bytes *= sizeOfPart(program.graph, expected, size, cut) / size;
  return bytes;
}

// Operations on numbers, of the rank's part.
static double countWork(const ProgramGraph &program, DictionaryAttr expected, const Node &node) {
  SmallVector<double> extents(node.loops.size(), 1);
  for (const SmallVector<Port> *ports : {&node.operands, &node.results})
    for (const Port &port : *ports)
      for (auto [link, size] : llvm::zip_equal(port.dims, program.getEstimates(port.value)))
        if (link.loop)
          extents[*link.loop] =
              std::max<double>(extents[*link.loop], double(size) / double(link.inner.getConstant().value_or(1)));
  double work = 1;
  for (auto [loop, extent] : llvm::zip_equal(node.loops, extents))
    work *= sizeOfPart(program.graph, expected, extent, loop.cut);
  return work;
}

Estimate propagation::estimate(func::FuncOp function, const ProgramGraph &program, Moves &moves,
                               const flow::DeviceModel &device, const flow::Link &link) {
  const ShardingGraph &graph = program.graph;
  DictionaryAttr expected = getExpected(function->getParentOfType<ModuleOp>());
  Estimate result;
  for (auto [node, meaning] : llvm::zip_equal(graph.nodes, program.meanings)) {
    // What only names elements otherwise, or takes some of them, computes nothing.
    if (node.role != Node::Role::Compute || isa<tensor::TensorDialect>(meaning.op->getDialect()))
      continue;
    bool reduces = llvm::any_of(node.loops, [](const Loop &loop) { return loop.kind == Loop::Kind::Reduced; });
    double ns = countWork(program, expected, node) * (reduces ? 2 : 1) / device.gflops, bytes = 0;
    for (const Port &operand : node.operands)
      bytes += bytesOfPart(program, expected, operand.value, node.wanted(graph, operand));
    for (const Port &port : node.results)
      bytes += bytesOfPart(program, expected, port.value, graph.values[port.value].given);
    result.computeNs += reduces ? std::max(ns, bytes / device.memoryGbps) : ns;
  }
  for (const Move &move : findMoves(function, program, moves)) {
    ReshardPlan plan = moves.plan(move.value, graph.values[move.value].given, move.wanted);
    int64_t steps = llvm::count_if(plan.steps, [](const ReshardStep &step) { return step.communicates(); });
    result.moveNs += bytesOf(plan) / link.bandwidthGbps + steps * link.latencyUs * 1000;
  }
  return result;
}
