// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Device/IR/DeviceQuery.h"
#include "compiler/Dialect/Encoding/IR/EncodingOps.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Heddle/IR/SplitRequest.h"
#include "compiler/Stages/Split/Passes.h"
#include "compiler/Stages/Split/Reduction.h"
#include "compiler/Stages/Split/SplitChain.h"
#include "compiler/Stages/Split/SplitRegion.h"
#include "compiler/Target/TargetRegistry.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_SPLITREDUCTIONS
#include "compiler/Stages/Split/Passes.h.inc"
} // namespace mlir::heddle

namespace {

// One region, while its reductions are split.
class RegionOfReductions {
public:
  RegionOfReductions(flow::RegionOp region, int64_t number, bool strictFloat, bool sharesUnits)
      : region(region), before(region), number(number), strictFloat(strictFloat), sharesUnits(sharesUnits) {
    for (auto op : region.getBody().front().getOps<linalg::LinalgOp>())
      if (op.getNumReductionLoops() > 0)
        reductions.push_back({op, op->getAttr(kSplitAttr), {}, {}, {}, {}});
    for (Entry &entry : reductions) {
      if (split::isKeptWhole(entry.op)) {
        keptBy = readSplitRequest(entry.asked).by;
        entry.asked = {};
      }
      entry.op->removeAttr(kSplitAttr);
      hasScores |= static_cast<bool>(entry.op->removeAttr(kSplitScoresAttr));
      if (entry.asked)
        unsetOperands(entry.op);
    }
  }

  // An error where an op that says how many parts cannot be split.
  LogicalResult run() {
    if (llvm::none_of(reductions, [](const Entry &entry) { return entry.asked; })) {
      explainOthers();
      return success();
    }
    if (hasScores && reductions.size() > 1)
      if (std::optional<LogicalResult> result = runChain())
        return *result;
    std::string reason = refuse();
    for (Entry &entry : reductions)
      if (!reason.empty() && isNumber(entry))
        return entry.op.emitError() << split::refusalOf(readSplitRequest(entry.asked)) << reason;
    if (!reason.empty()) {
      note(region, "not split: " + reason);
      return success();
    }
    countAll();
    Value alone = isOnePart();
    std::optional<int64_t> known = getConstantIntValue(alone); // true is -1
    if (known && *known != 0)
      note(region, "not split: " + explainOnePart());
    else if (known)
      rewrite(region);
    else
      choose(alone);
    return success();
  }

private:
  struct Entry {
    linalg::LinalgOp op;
    Attribute asked; // null: stays whole
    split::Shape shape;
    SmallVector<OpFoldResult> sizes; // of the result
    Value count;
    std::string why; // in words
  };

  // What data tiling laid out is read plain, by slices that code generation finds in its tiles.
  static void unsetOperands(linalg::LinalgOp op) {
    OpBuilder builder(op);
    for (OpOperand *input : op.getDpsInputOperands())
      if (encoding::isEncoded(input->get().getType())) {
        auto plain = encoding::withoutEncoding(cast<RankedTensorType>(input->get().getType()));
        input->set(encoding::UnsetOp::create(builder, op.getLoc(), plain, input->get()));
      }
  }

  static void note(flow::RegionOp region, const Twine &text) {
    region->setAttr(kSplitNoteAttr, StringAttr::get(region.getContext(), text));
  }

  void explainOthers() {
    if (!keptBy.empty())
      return note(region, "not split: " + keptBy + " keeps it whole");
    for (Entry &entry : reductions)
      if (split::isCandidate(entry.op)) {
        std::string reason = split::refuseByDefault(entry.op, strictFloat);
        note(region, "not split: " + (reason.empty() ? "no strategy asks for it" : reason));
      }
  }

  // "" or why the region stays as it is. Reads all sizes.
  std::string refuse() {
    bool isShared = reductions.size() > 1;
    for (Entry &entry : reductions) {
      if (isShared && split::isProduct(entry.op) && llvm::none_of(reductions, isNumber))
        return "a product shares its dispatch with another reduction";
      auto sizes = split::readResultSizes(before, region, entry.op);
      if (!sizes || (isShared && entry.op->getNumResults() != 1))
        return "its sizes are computed in its dispatch";
      entry.sizes = *sizes;
      if (!entry.asked)
        continue;
      auto found = split::findReduction(entry.op, readSplitRequest(entry.asked).loop);
      if (auto *reason = std::get_if<std::string>(&found))
        return *reason;
      auto shape = split::readShape(before, region, std::get<split::Reduction>(found));
      if (!shape)
        return "its sizes are computed in its dispatch";
      entry.shape = *shape;
    }
    return "";
  }

  //===--- Attention ----------------------------------------------------------------------------------------------===//

  // Computes attention in parts along its positions, if the last reduction is its product. None where it is not, and
  // where it stays as any region of several reductions.
  std::optional<LogicalResult> runChain() {
    Entry &product = reductions.back();
    auto chain = product.asked && !readSplitRequest(product.asked).loop ? split::matchSoftmaxChain(product.op, region)
                                                                        : std::nullopt;
    auto shape = chain ? split::readChainShape(before, region, *chain) : std::nullopt;
    if (!shape)
      return std::nullopt;
    const bool alone = split::hasLoneRows(*chain);
    if (sharesUnits)
      return alone ? std::optional(runApart(*chain, *shape)) : std::nullopt;
    for (Entry &entry : reductions)
      if (&entry != &product)
        entry.asked = {};
    product.shape = shape->product;
    countAll();
    Value whole = isOnePart();
    std::optional<int64_t> known = getConstantIntValue(whole);
    if (known && *known == 0) {
      split::splitChain(region, *chain, *shape, product.count, product.why);
      return success();
    }
    if (known)
      note(region, "not split: " + explainOnePart());
    else
      chooseParts(whole, *shape);
    // In the branch, or where it was, the region is as it would be without.
    if (alone)
      takeApart(*chain, *shape);
    return success();
  }

  // `region` where one part is best, else a copy of it in parts.
  void chooseParts(Value whole, const split::ChainShape &shape) {
    Entry &product = reductions.back();
    flow::RegionOp copy = branchOff(whole);
    split::ChainShape copied;
    copied.product = shape.product;
    for (const auto &[op, sizes] : shape.sizes)
      copied.sizes[find(op, copy)] = sizes;
    auto chain = split::matchSoftmaxChain(cast<linalg::LinalgOp>(find(product.op, copy)), copy);
    split::splitChain(copy, *chain, copied, product.count, product.why);
  }

  // Scores and weights, of which each has one reader, get regions of their own.
  SmallVector<flow::RegionOp> takeApart(split::SoftmaxChain &chain, const split::ChainShape &shape) {
    flow::RegionOp scores = split::peel(region, chain.scores, shape.sizes.find(chain.scores)->second);
    flow::RegionOp weights = split::peel(region, chain.weights, shape.sizes.find(chain.weights)->second);
    return {scores, weights, region};
  }

  // Regions of their own, each split as any other.
  LogicalResult runApart(split::SoftmaxChain &chain, const split::ChainShape &shape) {
    for (Entry &entry : reductions)
      if (entry.asked)
        entry.op->setAttr(kSplitAttr, entry.asked);
    for (flow::RegionOp own : takeApart(chain, shape))
      if (failed(RegionOfReductions(own, number, strictFloat, sharesUnits).run()))
        return failure();
    return success();
  }

  static bool isNumber(const Entry &entry) { return entry.asked && readSplitRequest(entry.asked).isAsked(); }

  void countAll() {
    split::Machine machine;
    for (Entry &entry : reductions)
      if (entry.asked)
        count(entry, readSplitRequest(entry.asked), machine);
  }

  // The machine is asked for what the first one needs.
  void count(Entry &entry, const SplitRequest &request, split::Machine &machine) {
    Location loc = entry.op.getLoc();
    auto ask = [&](bool workgroups) -> Value {
      return flow::UnitsOp::create(before, loc, before.getIndexType(), before.getI64IntegerAttr(number),
                                   workgroups ? before.getUnitAttr() : UnitAttr());
    };
    const bool isReproducible = request.strategy == "reproducible";
    if (!machine.units && isReproducible)
      machine.units = arith::ConstantIndexOp::create(before, loc, split::kReproducibleUnits);
    else if (!machine.units && (request.perUnit || !request.isAsked()))
      machine = {ask(false), sharesUnits ? ask(true) : Value()};
    const split::Problem &problem = entry.shape.problem;
    if (request.isAsked()) {
      entry.count = split::countAsked(before, loc, problem, request, machine.units);
      entry.why = split::describeAsked(problem, request);
      return;
    }
    std::string units = isReproducible ? std::to_string(split::kReproducibleUnits) + " units" : "the device's units";
    entry.count = split::countParts(before, loc, problem, machine);
    entry.why = split::describeParts(problem, units, sharesUnits && !isReproducible);
  }

  // Of what is known to be one part.
  std::string explainOnePart() const {
    for (const Entry &entry : reductions)
      if (isNumber(entry))
        return "one part is what was asked for: " + entry.why;
    return "one part is best, whatever the device";
  }

  // Whether one part is best for every reduction.
  Value isOnePart() {
    Location loc = region.getLoc();
    Value one = arith::ConstantIndexOp::create(before, loc, 1), all;
    for (const Entry &entry : reductions) {
      if (!entry.count)
        continue;
      Value single = before.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, entry.count, one);
      all = all ? before.createOrFold<arith::AndIOp>(loc, all, single) : single;
    }
    return all;
  }

  // Moves `region` to where one part is best; a copy of it stands where it is not.
  flow::RegionOp branchOff(Value alone) {
    Location loc = region.getLoc();
    auto branch = scf::IfOp::create(before, loc, region.getResultTypes(), alone, /*withElseRegion=*/true);
    region.replaceAllUsesWith(branch.getResults());
    OpBuilder inElse = branch.getElseBodyBuilder();
    IRMapping mapping;
    auto copy = cast<flow::RegionOp>(inElse.clone(*region, mapping));
    scf::YieldOp::create(inElse, loc, copy.getResults());
    region->moveBefore(&branch.getThenRegion().front(), branch.getThenRegion().front().end());
    OpBuilder inThen = branch.getThenBodyBuilder();
    scf::YieldOp::create(inThen, loc, region.getResults());
    note(region, "whole where one part is best: see the dispatch of its parts");
    return copy;
  }

  // `region` where one part is best, else parts and merges.
  void choose(Value alone) {
    flow::RegionOp copy = branchOff(alone);
    for (Entry &entry : reductions)
      entry.op = cast<linalg::LinalgOp>(find(entry.op, copy));
    rewrite(copy);
  }

  // The op of `copy` where `op` is in the region it is a copy of.
  Operation *find(Operation *op, flow::RegionOp copy) {
    for (auto [from, to] : llvm::zip_equal(region.getBody().front(), copy.getBody().front()))
      if (&from == op)
        return &to;
    llvm_unreachable("an op of the region");
  }

  // Each reduction but the last gets a region of its own, so that `whole` keeps what follows the last.
  void rewrite(flow::RegionOp whole) {
    for (Entry &entry : reductions) {
      linalg::LinalgOp op = entry.op;
      flow::RegionOp own = whole;
      if (&entry != &reductions.back()) {
        own = split::peel(whole, op, entry.sizes);
        op = *llvm::find_if(own.getBody().front().getOps<linalg::LinalgOp>(),
                            [](linalg::LinalgOp inner) { return inner.getNumReductionLoops() > 0; });
      }
      if (entry.asked)
        split::splitRegion(own, op, entry.shape, entry.count, entry.why);
    }
  }

  flow::RegionOp region;
  OpBuilder before;
  int64_t number;
  bool strictFloat, sharesUnits, hasScores = false;
  StringRef keptBy;              // who keeps a reduction of it whole, by name
  SmallVector<Entry> reductions; // in program order
};

// Whether the program may run on a device whose units work on several workgroups at the same time.
bool hasSharedUnits(ModuleOp module) {
  return llvm::any_of(device::DeviceQuery(module).getAllTargets(), [](device::ExecutableAttr executable) {
    const Target *target = findTarget(executable.getFormat());
    return target && target->sharesUnits();
  });
}

struct SplitReductions : mlir::heddle::impl::SplitReductionsBase<SplitReductions> {
  using SplitReductionsBase::SplitReductionsBase;

  void runOnOperation() override {
    SmallVector<flow::RegionOp> regions;
    getOperation().walk([&](flow::RegionOp region) { regions.push_back(region); });
    const bool shares = hasSharedUnits(getOperation());
    for (auto [number, region] : llvm::enumerate(regions))
      if (failed(RegionOfReductions(region, number, strictFloat, shares).run()))
        return signalPassFailure();
  }
};

} // namespace
