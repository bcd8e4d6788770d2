// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Analysis/QueueSets.h"
#include "compiler/Dialect/Flow/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_ELIDETRANSFERS
#include "compiler/Dialect/Flow/Transforms/Passes.h.inc"
} // namespace mlir::heddle

static bool namesQueue(flow::TransferOp transfer) {
  auto affinity = dyn_cast<device::AffinityAttr>(transfer.getAffinity());
  return affinity && !affinity.getQueues().empty();
}

// Whether the value is on the device by what is fixed and what follows that.
static bool isThere(const flow::Placement *placement, unsigned device) {
  return placement && placement->definite && placement->device == device &&
         (placement->rule == flow::PlacementRule::Explicit || placement->rule == flow::PlacementRule::Producers);
}

// Transfers whose operand is where they bring it, and would be without them: around a loop it may be there because of
// the transfer itself. So all that seem idle are made such as may be anywhere; those that do not come out on their
// device then are needed. They may have kept others there, so until all do.
static SmallVector<flow::TransferOp> findIdle(const flow::Affinities &affinities) {
  const flow::AffinityGraph &graph = affinities.getGraph();
  flow::AffinityProblem problem = graph.problem;
  SmallVector<std::pair<flow::TransferOp, unsigned>> idle;
  for (flow::TransferOp transfer : affinities.getTransfers()) {
    unsigned node = graph.ops.lookup(transfer);
    // A constant has no device: what reads the transfer follows it.
    if (problem.allowed[node].size() == 1 &&
        isThere(affinities.find(transfer.getOperand()), problem.allowed[node].front()))
      idle.emplace_back(transfer, node);
  }
  for (auto [transfer, node] : idle)
    problem.allowed[node].clear();
  bool changed = !idle.empty();
  while (changed) {
    std::vector<flow::Placement> placements = flow::solveAffinities(problem, affinities.getTopology());
    size_t before = idle.size();
    llvm::erase_if(idle, [&, &placed = placements](auto entry) {
      auto [transfer, node] = entry;
      unsigned device = graph.problem.allowed[node].front();
      if (isThere(&placed[node], device))
        return false;
      problem.allowed[node] = {device};
      return true;
    });
    changed = idle.size() != before;
  }
  return llvm::map_to_vector(idle, [](auto entry) { return entry.first; });
}

namespace {

struct ElideTransfers : mlir::heddle::impl::ElideTransfersBase<ElideTransfers> {
  using ElideTransfersBase::ElideTransfersBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<flow::TransferOp> transfers;
    module.walk([&](flow::TransferOp transfer) { transfers.push_back(transfer); });
    if (transfers.empty())
      return;
    auto devices = module.getOps<device::GlobalOp>();
    bool isOne = std::distance(devices.begin(), devices.end()) < 2, hasQueues = flow::namesQueues(module);
    if (isOne && !hasQueues)
      return elide(transfers);
    auto affinities = flow::Affinities::of(module);
    if (failed(affinities))
      return signalPassFailure();
    if (!isOne)
      transfers = byCost ? findRepeated(transfers) : findIdle(*affinities);
    if (hasQueues) {
      flow::QueueSets queues(module, *affinities);
      llvm::erase_if(transfers, [&](flow::TransferOp transfer) {
        return namesQueue(transfer) || queues.find(transfer.getOperand());
      });
    }
    elide(transfers);
  }

  // Placement by cost reads a pin off each op's own operands, so a transfer is needed unless it follows its like.
  static SmallVector<flow::TransferOp> findRepeated(ArrayRef<flow::TransferOp> transfers) {
    return llvm::filter_to_vector(transfers, [](flow::TransferOp transfer) {
      auto before = transfer.getOperand().getDefiningOp<flow::TransferOp>();
      return before && before.getAffinity() == transfer.getAffinity();
    });
  }

  static void elide(ArrayRef<flow::TransferOp> transfers) {
    for (flow::TransferOp transfer : transfers) {
      transfer.getResult().replaceAllUsesWith(transfer.getOperand());
      transfer.erase();
    }
  }
};

} // namespace
