// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/Analysis/Accesses.h"
#include "compiler/Dialect/Host/Analysis/Verifier.h"
#include "compiler/Dialect/Host/Analysis/Walker.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::heddle::host;

namespace {

// Owners seen so far: alive (null), or ended by the op that freed it or handed it on.
using Owners = llvm::MapVector<Value, Operation *>;

class OwnershipVerifier : public WalkDefaults {
public:
  OwnershipVerifier(FuncOp func, const Assumptions &assumptions) : func(func), assumptions(assumptions) {}

  LogicalResult verify() {
    findOwningValues();
    Owners owners;
    return Walker(*this).walk(func.getBody().front(), owners);
  }

  // For the walker.
  using State = Owners;
  LogicalResult step(Operation *op, Owners &owners);
  FailureOr<bool> takes(mlir::Region &region, Owners &) { return !assumptions.excludes(region); }
  LogicalResult leaveBranch(Operation *op, MutableArrayRef<BranchEnd<Owners>> ends, Owners &owners);
  LogicalResult handOn(const Crossing &crossing, Owners &owners);
  FailureOr<bool> again(Operation *loop, Owners &head, Owners &next);

private:
  // Values that carry one thing across the border of a region.
  struct Slot {
    SmallVector<Value> targets, sources;
  };
  SmallVector<Slot> collectSlots();
  void findOwningValues();
  Value ownerOf(Value buffer);

  LogicalResult visitEnd(Operation *op, Value buffer, Owners &owners);
  LogicalResult visitUse(Operation *op, Value buffer, const Owners &owners);
  LogicalResult passOn(Operation *op, ValueRange sources, ValueRange targets, Owners &owners);
  LogicalResult leaveBlock(Operation *op, Block &block, ValueRange sources, ValueRange targets, Owners &owners);
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
        if (!region.empty() && !assumptions.excludes(region))
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
    if (op->getParentRegion() && assumptions.excludes(*op->getParentRegion()))
      return WalkResult::skip();
    if (auto row = dyn_cast<HostOpInterface>(op))
      for (const HostAccess &access : row.getAccesses())
        if (access.ends)
          owning.insert(regionOf(access.buffer).root);
    return WalkResult::advance();
  });
  auto isNew = [](Value value) { return storageKindOf(value) == StorageKind::Owned; };
  auto isOwning = [&](Value value) { return owning.contains(value) && !isNew(value); };
  auto isFresh = [&](Value source, Value target) {
    return isNew(source) && placeOf(target)->isProperAncestor(source.getDefiningOp());
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

LogicalResult OwnershipVerifier::visitEnd(Operation *op, Value buffer, Owners &owners) {
  if (buffer.getDefiningOp<ViewOp>())
    return fail(op, "frees a view; free the host.alloc that it cuts");
  Value owner = ownerOf(buffer);
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
LogicalResult OwnershipVerifier::passOn(Operation *op, ValueRange sources, ValueRange targets, Owners &owners) {
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
      return fail(
          placeOf(owner),
          Twine(storageKindOf(owner) == StorageKind::Owned ? "is not freed" : "carries a buffer that is not freed") +
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

LogicalResult OwnershipVerifier::step(Operation *op, Owners &owners) {
  for (const Access &access : accessesOf(op))
    if (failed(access.ends ? visitEnd(op, access.buffer, owners) : visitUse(op, access.buffer, owners)))
      return failure();
  for (Value result : op->getResults())
    if (storageKindOf(result) == StorageKind::Owned)
      owners[result] = nullptr;
  if (auto bind = dyn_cast<BindOp>(op); bind && isa<BufferType>(bind.getValue().getType())) {
    // A bound buffer belongs to the binding from here on.
    if (failed(visitUse(op, bind.getValue(), owners)))
      return failure();
    if (auto owner = owners.find(ownerOf(bind.getValue())); owner != owners.end())
      owner->second = op;
  }
  if (auto done = dyn_cast<ReturnOp>(op)) {
    for (Value buffer : done.getBuffers())
      if (failed(visitUse(op, buffer, owners)))
        return failure();
    return checkAllEnded(owners, op->getBlock());
  }
  return success();
}

// Control leaves a block: what it made has ended or passes to `targets`.
LogicalResult OwnershipVerifier::leaveBlock(Operation *op, Block &block, ValueRange sources, ValueRange targets,
                                            Owners &owners) {
  if (failed(passOn(op, sources, targets, owners)) || failed(checkAllEnded(owners, &block)))
    return failure();
  for (Value target : targets)
    if (owning.contains(target))
      owners[target] = nullptr;
  return success();
}

LogicalResult OwnershipVerifier::leaveBranch(Operation *op, MutableArrayRef<BranchEnd<Owners>> ends, Owners &owners) {
  for (auto [i, end] : llvm::enumerate(ends)) {
    if (!end.isEmpty() && failed(leaveBlock(end.terminator(), end.region->front(), end.terminator()->getOperands(),
                                            op->getResults(), end.state)))
      return failure();
    if (i > 0 && failed(checkUnchanged(op, ends[i - 1].state, end.state)))
      return failure();
  }
  if (!ends.empty())
    owners = std::move(ends.back().state);
  return success();
}

LogicalResult OwnershipVerifier::handOn(const Crossing &crossing, Owners &owners) {
  if (crossing.kind != Crossing::Kind::Enter) {
    // What a loop carries ends its life in the block that has it.
    Block &block = isa<scf::WhileOp>(crossing.loop) ? *crossing.at->getBlock() : crossing.loop->getRegion(0).front();
    return leaveBlock(crossing.at, block, crossing.from, crossing.to, owners);
  }
  if (failed(passOn(crossing.at, crossing.from, crossing.to, owners)))
    return failure();
  for (Value target : crossing.to)
    if (owning.contains(target))
      owners[target] = nullptr;
  return success();
}

// One round shows all: an iteration must leave every buffer of before the loop as it was.
FailureOr<bool> OwnershipVerifier::again(Operation *loop, Owners &head, Owners &next) {
  return failed(checkUnchanged(loop, head, next)) ? FailureOr<bool>(failure()) : false;
}

LogicalResult mlir::heddle::host::verifyOwnership(FuncOp func, const Assumptions &assumptions) {
  return OwnershipVerifier(func, assumptions).verify();
}

LogicalResult mlir::heddle::host::verifyProgram(FuncOp func) {
  if (failed(verifyRanks(func)))
    return failure();
  for (const Assumptions &assumptions : Assumptions::enumerate(func))
    if (failed(verifyOwnership(func, assumptions)) || failed(verifyOverlap(func, assumptions)) ||
        failed(verifyOrder(func, assumptions)))
      return failure();
  return success();
}
