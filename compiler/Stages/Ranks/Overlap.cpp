// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Ranks/MoveReshapes.h"
#include "compiler/Stages/Ranks/Passes.h"
#include "compiler/Stages/Ranks/PieceCut.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_OVERLAP
#include "compiler/Stages/Ranks/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct Overlap : mlir::heddle::impl::OverlapBase<Overlap> {
  using OverlapBase::OverlapBase;

  void runOnOperation() override {
    if (pieces == 1)
      return;
    flow::Topology topology = flow::Topology::of(getOperation());
    SmallVector<flow::CollectiveOpInterface> collectives;
    getOperation().walk([&](flow::CollectiveOpInterface op) { collectives.push_back(op); });
    for (flow::CollectiveOpInterface op : collectives) {
      op = moveReshapes(op);
      std::optional<PieceCut> cut = findCut(op);
      if (!cut)
        continue;
      flow::SizeEstimates sizes(getOperation());
      mlir::heddle::Overlap overlap = cut->describe(sizes);
      OverlapChoice choice = choosePieces(overlap, modelOf(op, topology));
      if (pieces != 0)
        choice.pieces = static_cast<unsigned>(std::min<int64_t>(pieces, overlap.extent));
      if (choice.pieces > 1)
        cut->apply(choice.pieces);
    }
  }

  // Of the device that the collective's mesh is of.
  flow::DeviceModel modelOf(flow::CollectiveOpInterface op, const flow::Topology &topology) {
    if (topology.size() == 0)
      return {};
    auto affinity = op->getAttrOfType<device::AffinityAttr>(kAffinityAttr);
    std::optional<unsigned> device = affinity ? topology.find(affinity.getDevice().getValue()) : std::nullopt;
    return topology.models[device.value_or(topology.defaultDevice)];
  }
};

} // namespace
