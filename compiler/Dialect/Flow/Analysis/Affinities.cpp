// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Analysis/Affinities.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::flow;

FailureOr<Affinities> Affinities::of(ModuleOp module, bool isPlaced) {
  Affinities affinities;
  affinities.topology = Topology::of(module);
  if (failed(affinities.graph.build(module, affinities.topology, isPlaced)))
    return failure();
  affinities.placements = solveAffinities(affinities.graph.problem, affinities.topology);
  return affinities;
}

const Placement *Affinities::find(Value value) const {
  auto it = graph.values.find(value);
  return it == graph.values.end() ? nullptr : &placements[it->second];
}

const Placement *Affinities::find(Operation *op) const {
  auto it = graph.ops.find(op);
  return it == graph.ops.end() ? nullptr : &placements[it->second];
}

const Placement *Affinities::findResult(func::FuncOp func, unsigned result) const {
  std::optional<unsigned> node = graph.getResultNode(func, result);
  return node ? &placements[*node] : nullptr;
}

void Affinities::forEachUse(llvm::function_ref<void(OpOperand &, const Placement &)> visit) const {
  for (const PlacedUse &use : graph.uses)
    visit(*use.use, placements[use.node]);
}

void Affinities::forEachOp(llvm::function_ref<void(Operation *, const Placement &)> visit) const {
  for (auto [op, node] : graph.ops)
    visit(op, placements[node]);
}

void Affinities::reportLoops() const {
  llvm::SmallDenseSet<unsigned> transfers;
  for (TransferOp transfer : graph.transfers)
    transfers.insert(graph.ops.lookup(transfer));
  auto all = [](const AffinityProblem::Edge &) { return true; };
  for (ArrayRef<unsigned> circle : findComponents(graph.problem, all)) {
    unsigned first = *llvm::min_element(circle);
    for (unsigned node : circle) {
      unsigned here = placements[first].device, there = placements[node].device;
      if (there == here || transfers.contains(node))
        continue;
      emitWarning(graph.locations[first])
          << "a value that this loop carries moves from @" << topology.devices[here] << " to @"
          << topology.devices[there] << " and back in every iteration; an affinity of the loop keeps it in one place";
      break;
    }
  }
}

void Affinities::reportCompetitions(unsigned limit) const {
  unsigned count = 0;
  std::optional<Location> last;
  for (auto [placement, loc] : llvm::zip_equal(placements, graph.locations)) {
    if (placement.candidates.empty())
      continue;
    last = loc;
    if (++count > limit)
      continue;
    InFlightDiagnostic remark = emitRemark(loc) << "may run on ";
    llvm::interleave(
        placement.candidates, [&](unsigned device) { remark << '@' << topology.devices[device]; },
        [&] { remark << " or "; });
    remark << ", where its neighbours are; takes @" << topology.devices[placement.device]
           << ", the cheapest to move to (ties: the one declared first); an affinity of its own would decide";
  }
  if (count > limit)
    emitRemark(*last) << count - limit << " more ops or values were decided so";
}

device::AffinityAttr mlir::heddle::flow::getAffinity(MLIRContext *context, const Topology &topology, unsigned device) {
  return device::AffinityAttr::get(context, FlatSymbolRefAttr::get(context, topology.devices[device]));
}
