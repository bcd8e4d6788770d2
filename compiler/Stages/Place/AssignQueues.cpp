// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Analysis/QueueSets.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Place/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_ASSIGNQUEUES
#include "compiler/Stages/Place/Passes.h.inc"
} // namespace mlir::heddle

namespace {

// Chooses in program order, so that what an op reads has its queue already.
class QueueChooser {
public:
  QueueChooser(const flow::QueueSets &sets, const flow::Affinities &affinities) : sets(sets), affinities(affinities) {}

  void choose(Operation *op) {
    device::AffinityAttr set = sets.find(op);
    if (!set || isPin(op))
      return;
    int64_t queue = pick(op, set);
    ++issued[{set.getDevice().getAttr(), queue}];
    for (Value result : op->getResults())
      queueOf[result] = queue;
    auto affinity = device::AffinityAttr::get(op->getContext(), set.getDevice(), queue);
    if (auto transfer = dyn_cast<flow::TransferOp>(op))
      transfer.setAffinityAttr(affinity);
    else
      op->setAttr(kAffinityAttr, affinity);
  }

private:
  // Whether it is a transfer on the value's own device, which issues nothing.
  bool isPin(Operation *op) const {
    const flow::Placement *to = isa_and_nonnull<flow::TransferOp>(op) ? affinities.find(op) : nullptr;
    const flow::Placement *from = to ? affinities.find(op->getOperand(0)) : nullptr;
    return from && from->device == to->device;
  }

  std::optional<int64_t> findQueue(Value value) const {
    for (Operation *op = value.getDefiningOp(); isPin(op); op = value.getDefiningOp())
      value = op->getOperand(0);
    auto found = queueOf.find(value);
    return found == queueOf.end() ? std::nullopt : std::optional(found->second);
  }

  // Most of what it reads is made there, so that it waits for least; then, least has been issued there; then, lowest.
  int64_t pick(Operation *op, device::AffinityAttr set) const {
    auto cost = [&](int64_t queue) {
      auto here = llvm::count_if(op->getOperands(), [&](Value operand) { return findQueue(operand) == queue; });
      return std::tuple(-here, issued.lookup({set.getDevice().getAttr(), queue}), queue);
    };
    return *llvm::min_element(set.getQueues(), [&](int64_t a, int64_t b) { return cost(a) < cost(b); });
  }

  const flow::QueueSets &sets;
  const flow::Affinities &affinities;
  llvm::DenseMap<std::pair<Attribute, int64_t>, int64_t> issued;
  llvm::DenseMap<Value, int64_t> queueOf;
};

struct AssignQueues : mlir::heddle::impl::AssignQueuesBase<AssignQueues> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!flow::namesQueues(module))
      return;
    auto affinities = flow::Affinities::of(module);
    if (failed(affinities))
      return signalPassFailure();
    flow::QueueSets sets(module, *affinities);
    QueueChooser chooser(sets, *affinities);
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<flow::ExecutableOp>(op))
        return WalkResult::skip();
      chooser.choose(op);
      return WalkResult::advance();
    });
    // With one device no transfer moves anything.
    if (affinities->getTopology().size() == 1)
      module.walk([](flow::TransferOp transfer) {
        transfer.getResult().replaceAllUsesWith(transfer.getOperand());
        transfer.erase();
      });
  }
};

} // namespace
