// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/Analysis/Accesses.h"
#include "compiler/Dialect/Host/Analysis/Verifier.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::heddle::host;

namespace {

// Owners seen so far: alive (null), or ended by the op that freed it or handed it on.
using Owners = llvm::MapVector<Value, Operation *>;

class OwnershipVerifier {
public:
  OwnershipVerifier(FuncOp func, const Assumptions &assumptions) : func(func), assumptions(assumptions) {}

  LogicalResult verify() {
    findOwningValues();
    Owners owners;
    return visitBlock(func.getBody().front(), owners);
  }

private:
  // Values that carry one thing across the border of a region.
  struct Slot {
    SmallVector<Value> targets, sources;
  };
  SmallVector<Slot> collectSlots();
  void findOwningValues();
  bool isExcluded(mlir::Region &region);
  Value ownerOf(Value buffer);

  LogicalResult visitBlock(Block &block, Owners &owners);
  LogicalResult visitOp(Operation *op, Owners &owners);
  LogicalResult visitFree(FreeOp op, Owners &owners);
  LogicalResult visitUse(Operation *op, Value buffer, const Owners &owners);
  LogicalResult visitRegion(mlir::Region &region, ValueRange arguments, ValueRange targets, Owners &owners);
  LogicalResult visitBranches(Operation *op, Owners &owners);
  LogicalResult visitLoop(Operation *op, Owners &owners);
  LogicalResult handOn(Operation *op, ValueRange sources, ValueRange targets, Owners &owners);
  LogicalResult checkAllEnded(Owners &owners, Block *block);
  LogicalResult checkUnchanged(Operation *op, const Owners &before, const Owners &after);
  LogicalResult fail(Operation *op, const Twine &message, Operation *other = nullptr) {
    return reportViolation(op, message, assumptions, other);
  }

  FuncOp func;
  const Assumptions &assumptions;
  llvm::DenseSet<Value> owning; // carried values that own what they carry
};

Operation *placeOf(Value value) {
  Operation *op = value.getDefiningOp();
  return op ? op : value.getParentBlock()->getParentOp();
}

} // namespace

//===--- Which carried values own --------------------------------------------------------------------------------===//

bool OwnershipVerifier::isExcluded(mlir::Region &region) {
  auto branch = dyn_cast<scf::IfOp>(region.getParentOp());
  auto known = branch ? assumptions.decide(branch.getCondition()) : std::nullopt;
  return known && *known != (region.getRegionNumber() == 0);
}

SmallVector<OwnershipVerifier::Slot> OwnershipVerifier::collectSlots() {
  SmallVector<Slot> slots;
  auto add = [&](ArrayRef<ValueRange> targets, ArrayRef<ValueRange> sources) {
    for (unsigned i = 0; i < targets[0].size(); ++i) {
      Slot slot;
      for (ValueRange range : targets)
        slot.targets.push_back(range[i]);
      for (ValueRange range : sources)
        slot.sources.push_back(regionOf(range[i]).root);
      if (isa<BufferType>(slot.targets[0].getType()))
        slots.push_back(std::move(slot));
    }
  };
  func.walk([&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      add({loop.getRegionIterArgs(), loop.getResults()},
          {loop.getInitArgs(), loop.getBody()->getTerminator()->getOperands()});
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      add({loop.getBeforeArguments()}, {loop.getInits(), loop.getYieldOp().getOperands()});
      add({loop.getAfterArguments(), loop.getResults()}, {loop.getConditionOp().getArgs()});
    } else if (isa<scf::IfOp, scf::IndexSwitchOp>(op)) {
      SmallVector<ValueRange> yields;
      for (mlir::Region &region : op->getRegions())
        if (!region.empty() && !isExcluded(region))
          yields.push_back(region.front().getTerminator()->getOperands());
      add({op->getResults()}, yields);
    }
  });
  return slots;
}

// A carried value owns if it is freed, or gets an allocation from inside the region, or is connected to one that does.
void OwnershipVerifier::findOwningValues() {
  SmallVector<Slot> slots = collectSlots();
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto free = dyn_cast<FreeOp>(op);
    if (op->getParentRegion() && isExcluded(*op->getParentRegion()))
      return WalkResult::skip();
    if (free)
      owning.insert(regionOf(free.getBuffer()).root);
    return WalkResult::advance();
  });
  auto isOwning = [&](Value value) { return owning.contains(value) && !value.getDefiningOp<AllocOp>(); };
  auto isFresh = [](Value source, Value target) {
    auto alloc = source.getDefiningOp<AllocOp>();
    return alloc && placeOf(target)->isProperAncestor(alloc);
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (Slot &slot : slots) {
      bool owns = llvm::any_of(slot.targets, isOwning) || llvm::any_of(slot.sources, [&](Value source) {
                    return isOwning(source) || isFresh(source, slot.targets[0]);
                  });
      if (!owns)
        continue;
      for (Value target : slot.targets)
        changed |= owning.insert(target).second;
      for (Value source : slot.sources)
        if (isa<BlockArgument>(source) || isa<scf::SCFDialect>(source.getDefiningOp()->getDialect()))
          changed |= owning.insert(source).second;
    }
  }
}

// The root of a buffer, looking through choices that the assumptions decide.
Value OwnershipVerifier::ownerOf(Value buffer) {
  Value root = regionOf(buffer).root;
  if (!owning.contains(root))
    if (SmallVector<Value> sources = sourcesOf(root, assumptions); sources.size() == 1 && isa<OpResult>(root))
      return ownerOf(sources[0]);
  return root;
}

//===--- The walk ------------------------------------------------------------------------------------------------===//

LogicalResult OwnershipVerifier::visitFree(FreeOp op, Owners &owners) {
  if (op.getBuffer().getDefiningOp<ViewOp>())
    return fail(op, "frees a view; free the host.alloc that it cuts");
  Value owner = ownerOf(op.getBuffer());
  if (auto found = owners.find(owner); found != owners.end()) {
    if (!found->second) {
      found->second = op;
      return success();
    }
    return fail(op, "frees a buffer whose life " + describe(found->second) + " ended; a host.alloc is freed once",
                found->second);
  }
  Operation *place = placeOf(owner);
  if (place == func)
    return fail(op, "frees an argument of the caller; only a host.alloc is freed");
  return fail(op, "frees what is no host.alloc on this path, but from " + describe(place), place);
}

LogicalResult OwnershipVerifier::visitUse(Operation *op, Value buffer, const Owners &owners) {
  Value owner = ownerOf(buffer);
  SmallVector<Value> open{owner};
  llvm::DenseSet<Value> seen;
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    auto found = owners.find(next);
    if (found == owners.end()) {
      for (Value source : sourcesOf(next, assumptions))
        open.push_back(regionOf(source).root);
      continue;
    }
    if (!found->second)
      continue;
    return fail(op, "uses a buffer after " + describe(found->second) + " ended its life", found->second);
  }
  return success();
}

// Owners among `sources` whose target owns pass to it; `op` is where they end.
LogicalResult OwnershipVerifier::handOn(Operation *op, ValueRange sources, ValueRange targets, Owners &owners) {
  for (auto [source, target] : llvm::zip_equal(sources, targets)) {
    if (!isa<BufferType>(source.getType()))
      continue;
    if (failed(visitUse(op, source, owners)))
      return failure();
    if (!owning.contains(target))
      continue;
    auto found = owners.find(ownerOf(source));
    if (found == owners.end() || source.getDefiningOp<ViewOp>())
      return fail(op, "hands on, to be freed elsewhere, a buffer that it does not own");
    found->second = op;
  }
  return success();
}

// Every owner that `block` made must have ended; they leave the map.
LogicalResult OwnershipVerifier::checkAllEnded(Owners &owners, Block *block) {
  for (auto [owner, end] : owners)
    if (!end && owner.getParentBlock() == block)
      return fail(placeOf(owner),
                  Twine(owner.getDefiningOp<AllocOp>() ? "is not freed" : "carries a buffer that is not freed") +
                      " on the path to " + describe(block->getTerminator()),
                  block->getTerminator());
  owners.remove_if([&](auto &entry) { return entry.first.getParentBlock() == block; });
  return success();
}

LogicalResult OwnershipVerifier::checkUnchanged(Operation *op, const Owners &before, const Owners &after) {
  for (auto [owner, end] : before) {
    Operation *now = after.lookup(owner);
    if (!end == !now)
      continue;
    Operation *ender = end ? end : now;
    return fail(op,
                "ends the life of a buffer on one path only: that of " + describe(placeOf(owner)) + ", by " +
                    describe(ender),
                ender);
  }
  return success();
}

LogicalResult OwnershipVerifier::visitBlock(Block &block, Owners &owners) {
  for (Operation &op : block)
    if (failed(visitOp(&op, owners)))
      return failure();
  return success();
}

LogicalResult OwnershipVerifier::visitOp(Operation *op, Owners &owners) {
  if (auto free = dyn_cast<FreeOp>(op))
    return visitFree(free, owners);
  for (const Access &access : accessesOf(op))
    if (failed(visitUse(op, access.buffer, owners)))
      return failure();
  if (auto alloc = dyn_cast<AllocOp>(op))
    return owners[alloc.getResult()] = nullptr, success();
  if (auto bind = dyn_cast<BindOp>(op); bind && isa<BufferType>(bind.getValue().getType())) {
    // A bound buffer belongs to the binding from here on.
    if (failed(visitUse(op, bind.getValue(), owners)))
      return failure();
    if (auto owner = owners.find(ownerOf(bind.getValue())); owner != owners.end())
      owner->second = op;
    return success();
  }
  if (auto done = dyn_cast<ReturnOp>(op)) {
    for (Value buffer : done.getBuffers())
      if (failed(visitUse(op, buffer, owners)))
        return failure();
    return checkAllEnded(owners, op->getBlock());
  }
  if (isa<scf::IfOp, scf::IndexSwitchOp>(op))
    return visitBranches(op, owners);
  return isa<scf::ForOp, scf::WhileOp>(op) ? visitLoop(op, owners) : success();
}

// One block: `arguments` that own are alive at its start, its terminator hands on to `targets`.
LogicalResult OwnershipVerifier::visitRegion(mlir::Region &region, ValueRange arguments, ValueRange targets,
                                             Owners &owners) {
  for (Value argument : arguments)
    if (owning.contains(argument))
      owners[argument] = nullptr;
  Block &block = region.front();
  Operation *terminator = block.getTerminator();
  auto condition = dyn_cast<scf::ConditionOp>(terminator);
  ValueRange sources = condition ? ValueRange(condition.getArgs()) : ValueRange(terminator->getOperands());
  return failure(failed(visitBlock(block, owners)) || failed(handOn(terminator, sources, targets, owners)) ||
                 failed(checkAllEnded(owners, &block)));
}

LogicalResult OwnershipVerifier::visitBranches(Operation *op, Owners &owners) {
  std::optional<Owners> joined;
  for (mlir::Region &region : op->getRegions()) {
    if (isExcluded(region))
      continue;
    Owners inside = owners;
    if (!region.empty() && failed(visitRegion(region, {}, op->getResults(), inside)))
      return failure();
    if (joined && failed(checkUnchanged(op, *joined, inside)))
      return failure();
    joined = std::move(inside);
  }
  owners = std::move(*joined);
  for (Value result : op->getResults())
    if (owning.contains(result))
      owners[result] = nullptr;
  return success();
}

LogicalResult OwnershipVerifier::visitLoop(Operation *op, Owners &owners) {
  auto forLoop = dyn_cast<scf::ForOp>(op);
  auto whileLoop = dyn_cast<scf::WhileOp>(op);
  ValueRange inits = forLoop ? ValueRange(forLoop.getInitArgs()) : ValueRange(whileLoop.getInits());
  ValueRange first = forLoop ? ValueRange(forLoop.getRegionIterArgs()) : ValueRange(whileLoop.getBeforeArguments());
  if (failed(handOn(op, inits, first, owners)))
    return failure();
  Owners inside = owners;
  if (forLoop) {
    if (failed(visitRegion(forLoop.getRegion(), first, first, inside)))
      return failure();
  } else {
    ValueRange second = whileLoop.getAfterArguments();
    if (failed(visitRegion(whileLoop.getBefore(), first, second, inside)) ||
        failed(visitRegion(whileLoop.getAfter(), second, first, inside)))
      return failure();
  }
  if (failed(checkUnchanged(op, owners, inside)))
    return failure();
  for (Value result : op->getResults())
    if (owning.contains(result))
      owners[result] = nullptr;
  return success();
}

LogicalResult mlir::heddle::host::verifyOwnership(FuncOp func, const Assumptions &assumptions) {
  return OwnershipVerifier(func, assumptions).verify();
}

LogicalResult mlir::heddle::host::verifyProgram(FuncOp func) {
  for (const Assumptions &assumptions : Assumptions::enumerate(func))
    if (failed(verifyOwnership(func, assumptions)) || failed(verifyOverlap(func, assumptions)) ||
        failed(verifyOrder(func, assumptions)))
      return failure();
  return success();
}
