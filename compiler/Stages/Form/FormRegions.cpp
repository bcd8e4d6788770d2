// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Analysis/Winograd.h"
#include "compiler/Dialect/Flow/Analysis/QueueSets.h"
#include "compiler/Dialect/Flow/Analysis/Segmenter.h"
#include "compiler/Dialect/Flow/IR/FlowRows.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Form/Fusion.h"
#include "compiler/Stages/Form/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_FORMREGIONS
#include "compiler/Stages/Form/Passes.h.inc"
} // namespace mlir::heddle

namespace {

// Where ops run, as far as that keeps them apart.
struct Places {
  flow::Topology topology;
  llvm::DenseMap<Operation *, flow::Placement> ops; // none where there is one device, and no queue is named
  flow::QueueSets queues;
};

// The tensor ops of one block as a graph, and the regions made of it.
class BlockFormer {
public:
  BlockFormer(Block &block, const Places &places) : block(block), places(places) {}

  LogicalResult run() {
    shareNoTransforms();
    collect();
    auto segments = flow::segment(graph(), [&](ArrayRef<unsigned> producer, ArrayRef<unsigned> consumer) {
      SmallVector<Operation *> from = select(producer), to = select(consumer);
      return fusion::shouldMerge(from, to) && areTogether(from, to) && fusion::fitsDispatch(from, to);
    });
    for (const std::vector<unsigned> &members : segments)
      if (failed(materialise(select(members))))
        return failure();
    for (Operation &op : llvm::make_early_inc_range(block))
      if (fusion::isEncodingChange(&op))
        encode(&op);
    // Clones left their originals behind.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
    return success();
  }

private:
  // Convolutions by fewer products of one value have a transform of it each, and a pad in front: a block of it at a
  // time, where whole it would take memory.
  void shareNoTransforms() {
    auto cloneForEachUse = [](Operation *op) {
      for (OpOperand &use : llvm::make_early_inc_range(llvm::drop_begin(op->getUses()))) {
        Operation *clone = OpBuilder(op).clone(*op);
        use.set(clone->getResult(0));
      }
    };
    auto isInput = [](Operation *op) { return winograd::hasRole(op, winograd::kInput); };
    for (Operation &op : llvm::make_early_inc_range(block))
      if (fusion::isEncodingChange(&op) && isInput(op.getOperand(0).getDefiningOp()))
        cloneForEachUse(&op);
    for (Operation &op : llvm::make_early_inc_range(block))
      if (isInput(&op))
        cloneForEachUse(&op);
    for (auto pad : llvm::make_early_inc_range(block.getOps<tensor::PadOp>()))
      if (llvm::all_of(pad->getUsers(), isInput))
        cloneForEachUse(pad);
  }

  void collect() {
    for (Operation &op : block)
      if (fusion::isCompute(&op) && !fusion::isCloned(&op)) {
        index[&op] = ops.size();
        ops.push_back(&op);
      }
  }

  SmallVector<Operation *> select(ArrayRef<unsigned> members) const {
    return llvm::map_to_vector(members, [&](unsigned i) { return ops[i]; });
  }

  // An edge also runs through clones, views and host arithmetic between two compute ops, so that segments stay acyclic.
  flow::SegmentGraph graph() {
    flow::SegmentGraph result;
    result.nodes = ops.size();
    DenseMap<Operation *, SmallVector<unsigned>> sources; // compute ops each op depends on, nearest first
    for (Operation &op : block) {
      SmallVector<unsigned> &list = sources[&op];
      for (Value operand : fusion::getOperands(&op))
        if (Operation *def = operand.getDefiningOp(); def && def->getBlock() == &block) {
          if (auto it = index.find(def); it != index.end())
            list.push_back(it->second);
          else
            list.append(sources.lookup(def));
        }
      llvm::sort(list);
      list.erase(llvm::unique(list), list.end());
      if (auto it = index.find(&op); it != index.end())
        for (unsigned source : list)
          result.edges.emplace_back(source, it->second);
    }
    return result;
  }

  // What depends on constants only has no place and joins either device.
  const flow::Placement *findPlacement(ArrayRef<Operation *> members) const {
    const flow::Placement *found = nullptr;
    for (Operation *op : members)
      if (auto place = places.ops.find(op); place != places.ops.end())
        if (!found || (place->second.definite && !found->definite))
          found = &place->second;
    return found;
  }

  // What a group may be issued on: its ops that name queues have equal sets (flow-materialize-queues).
  device::AffinityAttr findQueues(ArrayRef<Operation *> members) const {
    for (Operation *op : members)
      if (device::AffinityAttr queues = places.queues.find(op))
        return queues;
    return {};
  }

  bool areTogether(ArrayRef<Operation *> a, ArrayRef<Operation *> b) const {
    device::AffinityAttr ofA = findQueues(a), ofB = findQueues(b);
    if (ofA && ofB && ofA != ofB)
      return false;
    const flow::Placement *first = findPlacement(a), *second = findPlacement(b);
    return !first || !second || first->device == second->device;
  }

  // A region says where it runs if there is one answer; else `place` decides. Its ops say so no more: devices of a kind
  // share executables.
  void setAffinity(flow::RegionOp region, ArrayRef<Operation *> members) const {
    const flow::Placement *placement = findPlacement(members);
    if (placement && placement->definite) {
      MLIRContext *context = region.getContext();
      region->setAttr(kAffinityAttr, flow::getAffinity(context, places.topology, placement->device));
      region->setAttr(kPlacedByAttr, StringAttr::get(context, flow::toString(placement->rule)));
    }
    if (device::AffinityAttr queues = findQueues(members))
      region->setAttr(kAffinityAttr, queues);
    for (Operation *op : members) {
      op->removeAttr(kAffinityAttr);
      op->removeAttr(kPlacedByAttr);
    }
  }

  // Moves the members into a flow.region at the last one's place.
  LogicalResult materialise(ArrayRef<Operation *> members) {
    Operation *root = members.back();
    OpBuilder builder(root);
    SmallVector<Value> dims, results;
    SmallVector<Operation *> moved(members);
    for (OpResult result : root->getResults()) {
      if (failed(fusion::getDynamicSizes(builder, result, dims)))
        return failure();
      results.push_back(isa<flow::RowsOp, scf::ForallOp>(root) ? result : takeInChanges(result, moved));
    }
    auto region = flow::RegionOp::create(builder, root->getLoc(), ValueRange(results).getTypes(), ValueRange(),
                                         ValueRange(), dims);
    if (!places.ops.empty())
      setAffinity(region, members);
    if (isa<scf::ForallOp>(root))
      region->setAttr(kSplitNoteAttr, builder.getStringAttr("the parts of a loop of the program"));
    Block &body = region.getBody().emplaceBlock();
    for (auto [result, output] : llvm::zip_equal(results, region.getOutputs()))
      result.replaceAllUsesWith(output);
    for (Operation *op : moved)
      op->moveBefore(&body, body.end());
    builder.setInsertionPointToEnd(&body);
    flow::ReturnOp::create(builder, root->getLoc(), results);
    fusion::cloneIn(region);
    return success();
  }

  // A value that leaves a region only to have its encoding changed leaves it changed. Regions read encoded values
  // plain by themselves. Appends the changes to `moved` and gives the value that leaves.
  Value takeInChanges(Value value, SmallVectorImpl<Operation *> &moved) {
    while (value.hasOneUse()) {
      Operation *change = *value.user_begin();
      if (!fusion::isEncodingChange(change) || change->getBlock() != &block ||
          (isa<encoding::UnsetOp>(change) && isReadByRegions(change)))
        break;
      moved.push_back(change);
      value = change->getResult(0);
    }
    return value;
  }

  bool isReadByRegions(Operation *change) {
    return llvm::all_of(change->getUsers(), [&](Operation *user) {
      Operation *top = block.findAncestorOpInBlock(*user);
      return top && fusion::isCompute(top);
    });
  }

  // What no region took in: a copy between two layouts, or nothing where a device has only one.
  static void encode(Operation *change) {
    OpBuilder builder(change);
    Value source = change->getOperand(0), result = change->getResult(0);
    // Of several changes in a row the last one counts.
    while (isa_and_present<encoding::SetOp, encoding::UnsetOp, flow::EncodeOp>(source.getDefiningOp()))
      source = source.getDefiningOp()->getOperand(0);
    if (!change->use_empty() && source.getType() != result.getType()) {
      SmallVector<Value> sizes;
      auto type = cast<RankedTensorType>(source.getType());
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        if (type.isDynamicDim(dim))
          sizes.push_back(tensor::DimOp::create(builder, change->getLoc(), source, dim));
      source = flow::EncodeOp::create(builder, change->getLoc(), result.getType(), source, sizes);
    }
    result.replaceAllUsesWith(source);
    change->erase();
  }

  Block &block;
  const Places &places;
  SmallVector<Operation *> ops;
  DenseMap<Operation *, unsigned> index;
};

struct FormRegions : mlir::heddle::impl::FormRegionsBase<FormRegions> {
  using FormRegionsBase::FormRegionsBase;

  void runOnOperation() override {
    FailureOr<Places> places = findPlaces();
    if (failed(places))
      return signalPassFailure();
    SmallVector<Block *> blocks;
    for (auto func : getOperation().getOps<func::FuncOp>())
      collectBlocks(func.getOperation(), blocks);
    for (Block *block : blocks)
      if (failed(BlockFormer(*block, *places).run()))
        return signalPassFailure();
  }

  // By cost, only pins keep ops apart: the others have no place yet.
  FailureOr<Places> findPlaces() {
    Places places;
    places.topology = flow::Topology::of(getOperation());
    bool namesQueues = flow::namesQueues(getOperation());
    if (places.topology.size() < 2 && !namesQueues)
      return places;
    auto affinities = flow::Affinities::of(getOperation());
    if (failed(affinities))
      return failure();
    if (namesQueues)
      places.queues = flow::QueueSets(getOperation(), *affinities);
    affinities->forEachOp([&](Operation *op, const flow::Placement &placement) {
      if (!byCost)
        places.ops[op] = placement;
      else if (std::optional<unsigned> pin = affinities->getGraph().findPin(op))
        places.ops[op] = {*pin, flow::PlacementRule::Explicit, /*definite=*/true, {}};
    });
    return places;
  }

  // Blocks of functions and of scf ops on tensors; bodies of compute ops belong to them.
  static void collectBlocks(Operation *op, SmallVectorImpl<Block *> &blocks) {
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        blocks.push_back(&block);
        for (Operation &inner : block)
          if (!fusion::isCompute(&inner))
            collectBlocks(&inner, blocks);
      }
  }
};

} // namespace
