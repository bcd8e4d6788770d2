// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Analysis/Topology.h"
#include "compiler/Dialect/Flow/IR/FlowPieces.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Heddle/IR/OverlapNotes.h"
#include "compiler/Stages/Ranks/Passes.h"
#include "compiler/Stages/Ranks/Pieces/MoveReshapes.h"
#include "compiler/Stages/Ranks/Pieces/PieceCut.h"

using namespace mlir;
using namespace mlir::heddle;
namespace contract = ::heddle::contract;
using contract::FreeChoice, contract::OverlapChoice, contract::OverlapRates, contract::kAround, contract::kMostPieces;

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
    SmallVector<Attribute> notes;
    SmallVector<flow::CollectiveOpInterface> collectives;
    getOperation().walk([&](flow::CollectiveOpInterface op) { collectives.push_back(op); });
    for (flow::CollectiveOpInterface op : collectives) {
      op = moveReshapes(op);
      std::optional<PieceCut> cut = findCut(op);
      if (!cut)
        continue;
      std::string name = describe(op);
      std::string said = cut->reason().empty() ? "" : "is moved whole: " + cut->reason();
      if (said.empty())
        said = pieces == kAtBind ? leave(*cut, op, ratesOf(op, topology)) : decide(*cut, ratesOf(op, topology));
      notes.push_back(StringAttr::get(&getContext(), name + " " + said));
    }
    if (!notes.empty())
      getOperation()->setAttr(kOverlapsAttr, ArrayAttr::get(&getContext(), notes));
  }

  static constexpr int64_t kAtBind = -2;
  static constexpr unsigned kMostCounts = 6; // ways that a program has

  // Leaves the number of pieces to the load, and says so.
  std::string leave(PieceCut &cut, flow::CollectiveOpInterface op, const OverlapRates &rates) {
    flow::SizeEstimates sizes(getOperation());
    flow::PiecesAccount of{describe(op), cut.describe(sizes), rates, {}, op.getMeshAttr(),
                           op.getAxes(), op.getGroupsAttr()};
    if (cut.isFree()) {
      Value most = makeChosen(op, of, false), positions = makeChosen(op, of, true);
      ++chosen;
      cut.applyAmong(contract::kCountsOfFree, most, positions);
      return "is moved in up to " + std::to_string(contract::kMostOfFree) +
             " pieces of its free size: how many, the load decides";
    }
    of.counts = contract::chooseCounts(of.account, cut.canGoAround(), kMostCounts, rates);
    OverlapChoice expected = contract::chooseExpected(of.account, cut.canGoAround(), rates);
    if (of.counts.size() == 1)
      return "is moved whole: whatever the link between ranks, in pieces it takes no less";
    Value count = makeChosen(op, of, false);
    ++chosen;
    cut.applyAmong(of.counts, count);
    std::string list;
    for (unsigned each : ArrayRef(of.counts).drop_front())
      list += ", " + nameWay(each, of.account.feeds);
    return "is moved whole" + list + ": which, the load decides; by the target's link " +
           nameWay(expected.pieces, of.account.feeds) + ", " + std::to_string(expected.ns) + " ns, whole " +
           std::to_string(expected.wholeNs) + " ns" + ranksOf(of.account);
  }

  static std::string nameWay(unsigned pieces, bool feeds) {
    if (pieces == kAround)
      return feeds ? "from each rank as it is" : "to each rank as it is";
    return pieces == 1 ? "whole" : "in " + std::to_string(pieces) + " pieces";
  }
  static std::string ranksOf(const OverlapAccount &overlap) {
    return overlap.members == OverlapAccount::kFree ? " (sum over 2 to 1,024 ranks)"
                                                    : " (" + std::to_string(overlap.members) + " ranks)";
  }

  Value makeChosen(flow::CollectiveOpInterface op, const flow::PiecesAccount &of, bool positions) const {
    OpBuilder before(op);
    return flow::PiecesOp::create(before, op.getLoc(), before.getIndexType(), before.getI64IntegerAttr(chosen),
                                  positions ? before.getUnitAttr() : UnitAttr(), toAttr(op.getContext(), of));
  }

  // Cuts it, or not, and says so.
  std::string decide(PieceCut &cut, const OverlapRates &model) {
    if (cut.isFree())
      return decideFree(cut, model);
    flow::SizeEstimates sizes(getOperation());
    OverlapAccount overlap = cut.describe(sizes);
    OverlapChoice choice = choosePieces(overlap, model);
    if (cut.canGoAround() && pieces <= 0)
      if (uint64_t ns = aroundNs(overlap, model); pieces < 0 || ns < choice.ns) {
        cut.applyAround();
        return (overlap.feeds ? "comes from each of " + std::to_string(overlap.members) +
                                    " ranks beside the products that read it: "
                              : "goes to each of " + std::to_string(overlap.members) +
                                    " ranks beside the product that makes it: ") +
               std::to_string(ns) + " ns, whole " + std::to_string(choice.wholeNs) + " ns" +
               (pieces ? "; so it was asked for" : "");
      }
    if (pieces < 0)
      return "is moved whole: it does not go around the ranks of one axis, equal rows of each along the outermost "
             "dimension, or is no sum of 32 bits or more";
    if (pieces != 0) {
      choice.pieces = static_cast<unsigned>(std::min<int64_t>(pieces, overlap.extent));
      choice.ns = sumNs(overlap, choice.pieces, model).value_or(0);
    }
    std::string ranks = ranksOf(overlap);
    std::string whole = "whole " + std::to_string(choice.wholeNs) + " ns" + ranks;
    if (choice.pieces == 1)
      return "is moved whole, with the product beside it in " + std::to_string(choice.wholeNs) + " ns" + ranks +
             ": in 2 to " + std::to_string(std::min<int64_t>(kMostPieces, overlap.extent)) +
             " pieces it takes no less" + (choice.bestNs ? ", " + std::to_string(choice.bestNs) + " ns at best" : "");
    std::string ns = choice.ns ? std::to_string(choice.ns) + " ns" : "longer on some number of ranks";
    cut.apply(choice.pieces);
    return "is moved in " + std::to_string(choice.pieces) + " pieces beside " +
           (overlap.feeds ? "the products that read it" : "the product that makes it") + ": " + ns + ", " + whole +
           (pieces ? "; so many were asked for" : "");
  }

  // Of an extent that the call knows, which then decides in how many pieces: few positions in one.
  std::string decideFree(PieceCut &cut, const OverlapRates &model) {
    if (pieces < 0)
      return "is moved whole: its rows have a free size";
    if (pieces != 0) {
      cut.apply(static_cast<unsigned>(pieces));
      return "is moved in up to " + std::to_string(pieces) + " pieces of its free size, as was asked for";
    }
    flow::SizeEstimates sizes(getOperation());
    FreeChoice choice = chooseFree(cut.describe(sizes), model);
    if (choice.most == 1)
      return "is moved whole: of its free size no number of positions takes less in pieces";
    cut.apply(choice.most, choice.positions);
    return "is moved in up to " + std::to_string(choice.most) + " pieces of its free size, one for each " +
           std::to_string(choice.positions) + " positions";
  }

  // "all_gather over @m["x"] of 4x8xf32 (from 'up')".
  static std::string describe(flow::CollectiveOpInterface op) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << ::heddle::contract::spelling(op.getKind()) << " of " << op.getOperandType();
    if (std::string name = nameOf(op->getLoc()); !name.empty())
      os << " ('" << name << "')";
    return text;
  }
  static std::string nameOf(Location loc) {
    std::string found;
    loc->walk([&](Location each) {
      if (auto name = dyn_cast<NameLoc>(each); name && found.empty())
        found = name.getName().str();
      return WalkResult::advance();
    });
    return found;
  }

  // Of the device that the collective's mesh is of.
  static OverlapRates ratesOf(flow::CollectiveOpInterface op, const flow::Topology &topology) {
    flow::DeviceModel model = modelOf(op, topology);
    return {.gflops = model.gflops,
            .memoryGbps = model.memoryGbps,
            .launchUs = model.launchUs,
            .linkGbps = model.ranks.bandwidthGbps,
            .linkUs = model.ranks.latencyUs};
  }
  static flow::DeviceModel modelOf(flow::CollectiveOpInterface op, const flow::Topology &topology) {
    if (topology.size() == 0)
      return {};
    auto affinity = op->getAttrOfType<device::AffinityAttr>(kAffinityAttr);
    std::optional<unsigned> device = affinity ? topology.find(affinity.getDevice().getValue()) : std::nullopt;
    return topology.models[device.value_or(topology.defaultDevice)];
  }

  int64_t chosen = 0; // numbers of flow.pieces
};

} // namespace
