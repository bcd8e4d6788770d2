#include "compiler/Stages/Schedule/Passes.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

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
  bool wholeCall; // used on a stream of its own: order in the program says nothing about it
};

// Notes the only free of a buffer and whether all its uses are ones that do not let it escape.
bool followUses(Value buffer, Value callStream, bool isRoot, Transient &transient) {
  for (Operation *user : buffer.getUsers()) {
    if (auto free = dyn_cast<host::FreeOp>(user)) {
      if (transient.free || !isRoot)
        return false;
      transient.free = free;
    } else if (auto view = dyn_cast<host::ViewOp>(user)) {
      if (!followUses(view.getResult(), callStream, false, transient))
        return false;
    } else if (!isa<host::DispatchOp, host::CopyOp, host::FillOp, host::ReadOp>(user)) {
      return false;
    }
    if (!isa<host::ViewOp>(user) && user->getOperand(0) != callStream)
      transient.wholeCall = true;
  }
  return true;
}

struct PlanMemory : heddle::impl::PlanMemoryBase<PlanMemory> {
  void runOnOperation() override {
    SetVector<Attribute> devices;
    getOperation().walk([&](host::AllocOp alloc) { devices.insert(alloc.getDeviceAttr()); });
    for (Attribute device : devices)
      planDevice(cast<FlatSymbolRefAttr>(device));
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

  void planDevice(FlatSymbolRefAttr device) {
    host::FuncOp func = getOperation();
    DenseMap<Operation *, uint32_t> position;
    SmallVector<Transient> transients;
    SetVector<Operation *> slice;
    uint32_t next = 0;
    func.walk<WalkOrder::PreOrder>([&](Operation *op) { position[op] = next++; });
    func.walk([&](host::AllocOp alloc) {
      Transient transient{alloc, nullptr, false};
      SetVector<Operation *> extended = slice;
      if (alloc.getDeviceAttr() != device || !followUses(alloc, func.getStream(), true, transient) || !transient.free ||
          transient.free->getBlock() != alloc->getBlock() || !collectSlice(alloc.getSize(), extended))
        return;
      slice = std::move(extended);
      transients.push_back(transient);
    });
    if (transients.empty())
      return;
    hoist(slice);
    rewrite(device, transients, position, next - 1);
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
    for (Transient transient : transients) {
      uint32_t first = transient.wholeCall ? 0 : position.at(transient.alloc);
      uint32_t last = transient.wholeCall ? end : position.at(transient.free);
      sizes.push_back(transient.alloc.getSize());
      lives.push_back(host::IntervalAttr::get(func.getContext(), first, last));
    }
    SmallVector<Type> types(sizes.size(), builder.getIndexType());
    auto plan =
        host::PlanOp::create(builder, func.getLoc(), builder.getIndexType(), types, sizes, builder.getArrayAttr(lives));
    Value slab = host::SlabOp::create(builder, func.getLoc(), device, plan.getTotal());
    for (auto [entry, offset] : llvm::zip_equal(transients, plan.getOffsets())) {
      auto [alloc, free, wholeCall] = entry;
      free.erase();
      builder.setInsertionPoint(alloc);
      Value view = host::ViewOp::create(builder, alloc.getLoc(), slab, offset, alloc.getSize());
      alloc.replaceAllUsesWith(view);
      alloc.erase();
    }
  }

  Operation *hoisted = nullptr;
};

} // namespace
