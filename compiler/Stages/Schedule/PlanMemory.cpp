// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/Analysis/Accesses.h"
#include "compiler/Stages/Schedule/Passes.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_PLANMEMORY
#include "compiler/Stages/Schedule/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct Transient {
  host::AllocOp alloc;
  host::FreeOp free;
  SmallVector<Value> writers; // the streams that write it
};

bool writesBuffer(Operation *user, Value buffer) {
  return llvm::any_of(host::accessesOf(user),
                      [&](const host::Access &access) { return access.buffer == buffer && access.writes; });
}

// Notes the only free of a buffer and whether all its uses are ones that do not let it escape.
bool followUses(Value buffer, bool isRoot, Transient &transient) {
  for (Operation *user : buffer.getUsers()) {
    if (auto free = dyn_cast<host::FreeOp>(user)) {
      if (transient.free || !isRoot)
        return false;
      transient.free = free;
    } else if (isa<host::ViewOp, arith::SelectOp>(user)) {
      if (!followUses(user->getResult(0), false, transient))
        return false;
    } else if (!isa<host::DispatchOp, host::CopyOp, host::FillOp, host::ReadOp>(user)) {
      return false;
    } else if (writesBuffer(user, buffer)) {
      transient.writers.push_back(user->getOperand(0));
    }
  }
  return true;
}

// What is planned for one device: its buffers, and what computes their sizes.
struct DevicePlan {
  SmallVector<Transient> transients;
  SetVector<Operation *> slice;
};

struct PlanMemory : heddle::impl::PlanMemoryBase<PlanMemory> {
  // One walk for all devices, of which there may be thousands.
  void runOnOperation() override {
    host::FuncOp func = getOperation();
    DenseMap<Operation *, uint32_t> position;
    llvm::MapVector<Attribute, DevicePlan> plans;
    uint32_t next = 0;
    func.walk<WalkOrder::PreOrder>([&](Operation *op) { position[op] = next++; });
    func.walk([&](host::AllocOp alloc) { collect(alloc, plans[alloc.getDeviceAttr()]); });
    for (auto &[device, plan] : plans)
      if (!plan.transients.empty()) {
        hoist(plan.slice);
        rewrite(cast<FlatSymbolRefAttr>(device), plan.transients, position, next - 1);
      }
  }

  void collect(host::AllocOp alloc, DevicePlan &plan) {
    Transient transient{alloc, nullptr, {}};
    size_t known = plan.slice.size();
    if (followUses(alloc, true, transient) && transient.free && transient.free->getBlock() == alloc->getBlock() &&
        collectSlice(alloc.getSize(), plan.slice))
      return plan.transients.push_back(transient);
    while (plan.slice.size() > known)
      plan.slice.pop_back();
  }

  // Collects what it needs to compute `value` in the entry block, operands first. Fails for what comes from a device, a
  // loop or an op that must not run early.
  bool collectSlice(Value value, SetVector<Operation *> &slice) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return value.getParentBlock() == &getOperation().getBody().front();
    if (slice.contains(op))
      return true;
    if (!isPure(op) || op->getNumRegions() != 0)
      return false;
    for (Value operand : op->getOperands())
      if (!collectSlice(operand, slice))
        return false;
    slice.insert(op);
    return true;
  }

  void hoist(const SetVector<Operation *> &slice) {
    Block &entry = getOperation().getBody().front();
    Operation *anchor = nullptr;
    for (Operation *op : slice) {
      if (anchor)
        op->moveAfter(anchor);
      else
        op->moveBefore(&entry, entry.begin());
      anchor = op;
    }
    hoisted = anchor;
  }

  // The stream that writes most of the buffers; the call's if none does more.
  Value mainWriter(ArrayRef<Transient> transients) {
    llvm::MapVector<Value, unsigned> counts;
    counts[getOperation().getStream()] = 0;
    for (const Transient &transient : transients)
      for (Value writer : transient.writers)
        ++counts[writer];
    return llvm::max_element(counts, [](auto &a, auto &b) { return a.second < b.second; })->first;
  }

  // Two buffers may share memory if all uses of the first come before the first write of the second. That is so where
  // `main` alone writes the second and has freed the first; elsewhere order in the program says nothing.
  static host::IntervalAttr lifeOf(const Transient &transient, Value main,
                                   const DenseMap<Operation *, uint32_t> &position, uint32_t end) {
    bool isWrittenByMain = llvm::all_of(transient.writers, [&](Value writer) { return writer == main; });
    bool isFreedByMain = isWrittenByMain && transient.free->getOperand(0) == main;
    host::AllocOp alloc = transient.alloc;
    return host::IntervalAttr::get(alloc.getContext(), isWrittenByMain ? position.at(alloc) : 0,
                                   isFreedByMain ? position.at(transient.free) : end);
  }

  void rewrite(FlatSymbolRefAttr device, ArrayRef<Transient> transients,
               const DenseMap<Operation *, uint32_t> &position, uint32_t end) {
    host::FuncOp func = getOperation();
    OpBuilder builder(func.getContext());
    if (hoisted)
      builder.setInsertionPointAfter(hoisted);
    else
      builder.setInsertionPointToStart(&func.getBody().front());
    SmallVector<Value> sizes;
    SmallVector<Attribute> lives;
    Value main = mainWriter(transients);
    for (Transient transient : transients) {
      sizes.push_back(transient.alloc.getSize());
      lives.push_back(lifeOf(transient, main, position, end));
    }
    SmallVector<Type> types(sizes.size(), builder.getIndexType());
    auto plan =
        host::PlanOp::create(builder, func.getLoc(), builder.getIndexType(), types, sizes, builder.getArrayAttr(lives));
    Value slab = host::SlabOp::create(builder, func.getLoc(), device, plan.getTotal());
    for (auto [entry, offset] : llvm::zip_equal(transients, plan.getOffsets())) {
      host::AllocOp alloc = entry.alloc;
      host::FreeOp(entry.free).erase();
      builder.setInsertionPoint(alloc);
      Value view = host::ViewOp::create(builder, alloc.getLoc(), slab, offset, alloc.getSize());
      alloc.replaceAllUsesWith(view);
      alloc.erase();
    }
  }

  Operation *hoisted = nullptr;
};

} // namespace
