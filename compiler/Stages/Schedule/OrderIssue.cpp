// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Flow/IR/FlowCollectives.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Schedule/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <queue>

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_ORDERISSUE
#include "compiler/Stages/Schedule/Passes.h.inc"
} // namespace mlir::heddle

namespace {

// Ops that may change places: no regions, no effects. Collectives keep their order among themselves.
bool isMovable(Operation *op) {
  return op->getNumRegions() == 0 && !op->hasTrait<OpTrait::IsTerminator>() &&
         (isMemoryEffectFree(op) || isa<flow::CollectiveOpInterface>(op));
}

// Whether work is issued on another queue than the first.
bool namesQueue(device::AffinityAttr affinity) { return !affinity.getQueues().empty() && affinity.getQueues()[0] != 0; }

class SegmentOrder {
public:
  SegmentOrder(ArrayRef<Operation *> ops, FlatSymbolRefAttr defaultDevice) : ops(ops), defaultDevice(defaultDevice) {
    for (auto [i, op] : llvm::enumerate(ops))
      index[op] = i;
    for (Operation *op : ops)
      describe(op);
  }

  // Puts the ops behind `anchor`, or at the start of the block without one.
  void apply(Operation *anchor, Block &block) {
    std::priority_queue<Key, std::vector<Key>, std::greater<Key>> ready;
    for (auto [i, op] : llvm::enumerate(ops))
      if (waiting[i] == 0)
        ready.push(keys[i]);
    while (!ready.empty()) {
      Operation *op = ops[std::get<2>(ready.top())];
      ready.pop();
      if (anchor)
        op->moveAfter(anchor);
      else
        op->moveBefore(&block, block.begin());
      anchor = op;
      auto release = [&](Operation *after) {
        if (auto found = index.find(after); found != index.end() && --waiting[found->second] == 0)
          ready.push(keys[found->second]);
      };
      llvm::for_each(op->getUsers(), release);
      if (Operation *next = nextCollective.lookup(op))
        release(next);
    }
  }

private:
  // Work that the host hands to another queue first, then what it does itself: what no other device has a part in
  // before the rest.
  using Key = std::tuple<bool, unsigned, size_t>;

  bool isHosts(Operation *op) const {
    Attribute affinity =
        isa<flow::TransferOp>(op) ? cast<flow::TransferOp>(op).getAffinity() : op->getAttr(kAffinityAttr);
    if (isa<flow::DispatchOp, flow::TransferOp>(op)) {
      auto named = dyn_cast_if_present<device::AffinityAttr>(affinity);
      return !named || (named.getDevice() == defaultDevice && !namesQueue(named));
    }
    // Reading a value waits for it; all else is nothing but names and sizes.
    return isa<tensor::ExtractOp>(op);
  }

  void describe(Operation *op) {
    unsigned hops = 0, operands = 0;
    for (Value operand : op->getOperands())
      if (auto found = index.find(operand.getDefiningOp()); found != index.end()) {
        hops = std::max(hops, std::get<1>(keys[found->second]));
        ++operands;
      }
    if (isa<flow::CollectiveOpInterface>(op)) {
      if (lastCollective) {
        nextCollective[lastCollective] = op;
        ++operands;
      }
      lastCollective = op;
    }
    hops += isa<flow::TransferOp, flow::CollectiveOpInterface>(op);
    keys.push_back({isHosts(op), hops, keys.size()});
    waiting.push_back(operands);
  }

  ArrayRef<Operation *> ops;
  FlatSymbolRefAttr defaultDevice;
  llvm::DenseMap<Operation *, size_t> index;
  std::vector<Key> keys;
  std::vector<unsigned> waiting; // operands that the segment has yet to make
  llvm::DenseMap<Operation *, Operation *> nextCollective;
  Operation *lastCollective = nullptr;
};

struct OrderIssue : mlir::heddle::impl::OrderIssueBase<OrderIssue> {
  void runOnOperation() override {
    device::GlobalOp global = device::getDefaultDevice(getOperation());
    if (!global)
      return;
    auto defaultDevice = FlatSymbolRefAttr::get(global.getSymNameAttr());
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (overlaps(func))
        func.walk([&](Block *block) { orderBlock(*block, defaultDevice); });
  }

  static bool overlaps(func::FuncOp func) {
    return func
        .walk([](Operation *op) {
          auto affinity = op->getAttrOfType<device::AffinityAttr>(kAffinityAttr);
          bool isElsewhere =
              isa<flow::TransferOp, flow::CollectiveOpInterface>(op) || (affinity && namesQueue(affinity));
          return isElsewhere ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  static void orderBlock(Block &block, FlatSymbolRefAttr defaultDevice) {
    Operation *anchor = nullptr;
    SmallVector<Operation *> segment;
    auto end = [&](Operation *next) {
      if (segment.size() > 1)
        SegmentOrder(segment, defaultDevice).apply(anchor, block);
      anchor = next;
      segment.clear();
    };
    for (Operation *op : llvm::to_vector(llvm::make_pointer_range(block))) {
      if (isMovable(op))
        segment.push_back(op);
      else
        end(op);
    }
    end(nullptr);
  }
};

} // namespace
