// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Device/IR/DeviceQuery.h"
#include "compiler/Dialect/Flow/Analysis/SizeEstimates.h"
#include "compiler/Dialect/Flow/Analysis/Topology.h"
#include "compiler/Dialect/Flow/Analysis/WorkEstimate.h"
#include "compiler/Dialect/Flow/Transforms/Updates.h"
#include "compiler/Dialect/Heddle/IR/BranchNotes.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Place/BranchPlan.h"
#include "compiler/Stages/Place/Passes.h"
#include "compiler/Target/TargetRegistry.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <deque>
#include <optional>

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_OVERLAPBRANCHES
#include "compiler/Stages/Place/Passes.h.inc"
} // namespace mlir::heddle

namespace {

bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

// What fills a concatenation is written there by the dispatch that computes it, on whichever queue. The last part joins
// what the others are computed by.
bool isFill(Operation *op) {
  auto insert = dyn_cast<tensor::InsertSliceOp>(op);
  return insert && flow::isFill(insert);
}

bool fillsLast(Operation *op) { return llvm::none_of(op->getUsers(), isFill); }

// A device as the strategy sees it.
struct Queues {
  BranchMachine machine; // of one queue, where nothing is known
  BranchLimits limits;
  double gflops = 1, memoryGbps = 1;
  QueueCosts costs; // how much a unit is given at least; 0: not known
};

// What is known of the module's devices and executables, as far as it was asked for.
class Estimates {
public:
  explicit Estimates(ModuleOp module)
      : devices(module), topology(flow::Topology::of(module)), symbols(module), sizes(module) {}

  const Queues &queuesOf(device::AffinityAttr affinity) {
    auto [entry, isNew] = queues.try_emplace(affinity.getDevice().getAttr());
    if (isNew)
      entry->second = describe(affinity);
    return entry->second;
  }

  // Fills in what the dispatch costs on its device.
  void describe(flow::DispatchOp dispatch, const Queues &device, BranchTask &task) {
    auto executable = symbols.lookup<flow::ExecutableOp>(dispatch.getExecutable());
    if (!executable || !executable.getFunction() || (isOfFreeSize(dispatch) && !sizes.any())) {
      task.isUnknown = true;
      return;
    }
    auto [entry, isNew] = works.try_emplace(executable);
    if (isNew || sizes.any()) // expected sizes differ from dispatch to dispatch
      entry->second = flow::estimateWork(dispatch, executable.getFunction(), sizes);
    const flow::Work &work = entry->second;
    task.ns = std::llround(std::max(work.flops / device.gflops, work.bytes / device.memoryGbps));
    for (Value result : dispatch.getResults())
      task.bytes += sizes.bytes(result);
    task.readBytes = work.bytes - std::min(work.bytes, task.bytes);
    if (device.costs.workgroupFlops)
      task.width =
          std::max<uint64_t>({1, work.flops / device.costs.workgroupFlops, task.bytes / device.costs.workgroupBytes});
  }

  // A copy, on the first queue.
  void describe(tensor::InsertSliceOp insert, const Queues &device, BranchTask &task) {
    task.isUnknown = isOfFreeSize(insert) && !sizes.any();
    task.bytes = sizes.bytes(insert.getResult());
    task.ns = std::llround(2 * sizes.bytes(insert.getSource()) / device.memoryGbps);
  }

private:
  static bool isOfFreeSize(Operation *op) {
    auto isFree = [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && !tensor.hasStaticShape();
    };
    return llvm::any_of(op->getOperandTypes(), isFree) || llvm::any_of(op->getResultTypes(), isFree);
  }

  // Queues that a device states work side by side, each at its rate; else they share the units of the targets.
  Queues describe(device::AffinityAttr affinity) {
    Queues known;
    std::optional<unsigned> index = topology.find(affinity.getDevice().getValue());
    if (!index)
      return known;
    const flow::DeviceModel &model = topology.models[*index];
    if (model.queues) {
      known.machine.queues = model.queues;
      known.machine.launchNs = std::llround(model.launchUs * 1e3);
      known.gflops = model.gflops;
      known.memoryGbps = model.memoryGbps;
      return known;
    }
    for (device::ExecutableAttr executable : devices.getTargets(affinity)) {
      const Target *target = findTarget(executable.getFormat().getValue());
      std::optional<QueueCosts> costs = target ? target->getQueueCosts() : std::nullopt;
      if (!costs)
        return Queues();
      known.costs = *costs;
    }
    const QueueCosts &costs = known.costs;
    unsigned units = model.units ? model.units : costs.units;
    known.machine.units = units;
    known.machine.mayHaveMore = model.units == 0;
    known.machine.queues = model.units ? model.units : costs.queues;
    known.machine.launchNs = costs.launchNs;
    known.machine.spreadNs = costs.spreadNs;
    known.machine.spreadGbps = costs.spreadGbps;
    known.machine.handOverNs = costs.handOverNs;
    known.machine.joinNs = costs.joinNs;
    known.machine.queuedNs = costs.queuedNs;
    known.limits.leastNs = costs.leastGainNs;
    known.limits.leastOfAll = costs.leastOfProgram;
    known.gflops = costs.gflops;
    known.memoryGbps = costs.memoryGbps;
    return known;
  }

  device::DeviceQuery devices;
  flow::Topology topology;
  SymbolTable symbols;
  flow::SizeEstimates sizes;
  llvm::DenseMap<StringAttr, Queues> queues;
  llvm::DenseMap<Operation *, flow::Work> works;
};

// Ops of a block between two that the program waits for, or that run others: the dispatches of one device among them
// may change queues.
class Segment {
public:
  bool isEmpty() const { return ops.empty(); }

  void add(Operation *op) {
    SmallVector<unsigned, 4> inputs;
    for (Value operand : op->getOperands())
      if (auto found = madeBy.find(operand); found != madeBy.end())
        for (unsigned task : found->second)
          if (!llvm::is_contained(inputs, task))
            inputs.push_back(task);
    auto dispatch = dyn_cast<flow::DispatchOp>(op);
    // A computed value's layout is rows on all targets, as it is without.
    bool isView =
        (isFill(op) && !fillsLast(op)) ||
        isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::ExtractSliceOp, flow::EncodeOp>(op);
    bool works = dispatch || (!isView && !isConstant(op) && llvm::any_of(op->getOperands(), isTensor));
    if (works) {
      BranchTask task;
      auto affinity = op->getAttrOfType<device::AffinityAttr>(kAffinityAttr);
      task.isJoin = isFill(op);
      task.isFixed = !task.isJoin && (!dispatch || !affinity || !affinity.getQueues().empty());
      task.inputs = std::move(inputs);
      inputs.assign(1, tasks.size());
      tasks.push_back(std::move(task));
      ops.push_back(op);
    }
    if (!inputs.empty())
      for (Value result : op->getResults())
        if (isTensor(result))
          madeBy[result] = inputs;
  }

  // Whether some work does not depend on other work, which is cheap to see.
  bool hasBranches() const {
    SmallVector<unsigned> all = llvm::to_vector(llvm::seq<unsigned>(0, tasks.size()));
    return !findRegions(tasks, all).empty();
  }

  // The device of all dispatches; null where there are several, or other work.
  device::AffinityAttr getDevice() const {
    device::AffinityAttr device;
    for (Operation *op : ops)
      if (auto affinity = op->getAttrOfType<device::AffinityAttr>(kAffinityAttr)) {
        if (device && device.getDevice() != affinity.getDevice())
          return {};
        device = affinity;
      }
    return device;
  }

  BranchPlan plan(Estimates &estimates, const Queues &device) {
    for (auto [task, op] : llvm::zip_equal(tasks, ops)) {
      if (auto dispatch = dyn_cast<flow::DispatchOp>(op); dispatch && !task.isFixed)
        estimates.describe(dispatch, device, task);
      else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op); insert && !task.isJoin)
        estimates.describe(insert, device, task);
      else
        task.isUnknown = !task.isJoin;
    }
    return planBranches(tasks, device.machine, device.limits);
  }

  void apply(const BranchPlan &plan) {
    for (auto [op, queue] : llvm::zip_equal(ops, plan.queues))
      if (queue && isa<flow::DispatchOp>(op)) {
        auto affinity = op->getAttrOfType<device::AffinityAttr>(kAffinityAttr);
        op->setAttr(kAffinityAttr, device::AffinityAttr::get(op->getContext(), affinity.getDevice(), queue));
      }
  }

  Operation *getOp(unsigned task) const { return ops[task]; }

private:
  // Whether it depends on no tensor but constants, parameters and what is made of them: done before any call.
  bool isConstant(Operation *op) {
    auto [entry, isNew] = constants.try_emplace(op, false);
    if (!isNew || isa<flow::DispatchOp>(op) || op->getNumRegions())
      return entry->second;
    bool all = llvm::all_of(op->getOperands(), [&](Value operand) {
      return !isTensor(operand) || (operand.getDefiningOp() && isConstant(operand.getDefiningOp()));
    });
    return constants[op] = all;
  }

  std::vector<BranchTask> tasks;
  std::vector<Operation *> ops; // of the tasks
  llvm::DenseMap<Value, SmallVector<unsigned, 4>> madeBy;
  llvm::DenseMap<Operation *, bool> constants;
};

// The model's node that the op is made of, else its executable.
std::string nameOf(Operation *op) {
  std::string name;
  op->getLoc()->walk([&](Location part) {
    if (auto named = dyn_cast<NameLoc>(part); named && name.empty())
      name = named.getName().getValue().str();
    return WalkResult::advance();
  });
  if (auto dispatch = dyn_cast<flow::DispatchOp>(op); dispatch && name.empty())
    name = "@" + dispatch.getExecutable().str();
  return name.empty() ? op->getName().getStringRef().str() : name;
}

std::string toText(uint64_t ns) { return llvm::formatv("{0:f1} us", static_cast<double>(ns) / 1e3); }

std::string describe(const BranchRegion &region, const Segment &segment) {
  std::string text = std::to_string(region.branches.size()) + " branches, at ";
  for (auto [i, branch] : llvm::enumerate(ArrayRef(region.branches).take_front(4)))
    text += (i ? ", " : "") + nameOf(segment.getOp(branch.front()));
  text += region.branches.size() > 4 ? ", …: " : ": ";
  std::string times = toText(region.besideNs) + " expected instead of " + toText(region.serialNs);
  switch (region.verdict) {
  case BranchVerdict::Chosen: return text + "on " + std::to_string(region.queues) + " queues, " + times;
  case BranchVerdict::NoGain: return text + "one queue, as others gain too little: " + times;
  case BranchVerdict::Little: return text + "one queue, as all of them gain too little of the program: " + times;
  case BranchVerdict::Memory: return text + "one queue, as others need too much memory: " + times;
  case BranchVerdict::Fixed: return text + "one queue, as each has copies";
  case BranchVerdict::Unknown:
    return text + "one queue, as times are not known: free sizes without --expect, transfers, or queues that are named";
  }
  return text;
}

struct OverlapBranches : mlir::heddle::impl::OverlapBranchesBase<OverlapBranches> {
  void runOnOperation() override {
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<flow::ExecutableOp>(op) || op->hasAttr("heddle.streams"))
        return WalkResult::skip();
      for (Region &region : op->getRegions())
        if (!isa<ModuleOp>(op))
          for (Block &block : region)
            visit(block);
      return WalkResult::advance();
    });
    if (!notes.empty())
      getOperation()->setAttr(kBranchesAttr, Builder(&getContext()).getStrArrayAttr(notes));
  }

  void visit(Block &block) {
    Segment segment;
    for (Operation &op : block) {
      // What the program waits for, and what runs other ops, ends what may be issued in another order.
      if (op.getNumRegions() || isa<tensor::ExtractOp>(op) || !isMemoryEffectFree(&op)) {
        finish(segment);
        segment = Segment();
      } else {
        segment.add(&op);
      }
    }
    finish(segment);
  }

  void finish(Segment &segment) {
    device::AffinityAttr affinity = segment.hasBranches() ? segment.getDevice() : device::AffinityAttr();
    if (!affinity)
      return;
    if (!estimates)
      estimates.emplace(getOperation());
    const Queues &device = estimates->queuesOf(affinity);
    if (device.machine.queues < 2)
      return;
    BranchPlan plan = segment.plan(*estimates, device);
    segment.apply(plan);
    for (const BranchRegion &region : plan.regions)
      notes.push_back(storage.emplace_back(describe(region, segment)));
  }

  std::optional<Estimates> estimates;
  std::deque<std::string> storage;
  SmallVector<StringRef> notes;
};

} // namespace
