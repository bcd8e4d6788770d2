// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Schedule/Order/IterationOrder.h"

#include "compiler/Dialect/Host/Analysis/Accesses.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::heddle;

// Whether what `op`, or what it holds, does on other streams than the collectives' must be ordered with the collective.
static bool conflicts(Operation *op, host::CollectiveOp collective) {
  SmallVector<host::Access> own = host::accessesOf(collective);
  WalkResult walk = op->walk([&](Operation *inner) {
    if (isa<host::CollectiveOp>(inner))
      return WalkResult::advance();
    for (const host::Access &access : host::accessesOf(inner))
      for (const host::Access &mine : own)
        if ((access.writes || mine.writes) && host::mayAlias(access.region.root, mine.region.root, {}) &&
            (access.ends || access.region.root != mine.region.root ||
             host::mayOverlap(access.region, mine.region, /*crossed=*/nullptr)))
          return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return walk.wasInterrupted();
}

namespace {

// The collectives of one block.
class BlockOrder {
public:
  BlockOrder(host::StreamForOp loop, ArrayRef<host::CollectiveOp> collectives)
      : loop(loop), collectives(collectives), builder(loop.getContext()) {}

  void apply() {
    // Where events stand is decided on the block as it is.
    for (host::CollectiveOp op : collectives) {
      before[findBefore(op)].push_back(op);
      behind[findBehind(op)].push_back(op);
    }
    for (auto &[last, all] : before)
      waitBefore(last, all);
    for (auto &[next, all] : behind)
      waitBehind(next, all.back());
  }

private:
  // The last op in front of the collective that it waits for; null: what came before the block.
  static Operation *findBefore(host::CollectiveOp op) {
    Operation *last = op->getPrevNode();
    while (last && !conflicts(last, op))
      last = last->getPrevNode();
    return last;
  }

  // The first op behind the collective that waits for it; at the latest the end of the block.
  static Operation *findBehind(host::CollectiveOp op) {
    Operation *next = op->getNextNode();
    while (!next->hasTrait<OpTrait::IsTerminator>() && !conflicts(next, op))
      next = next->getNextNode();
    return next;
  }

  // The first of them waits, the others come after it.
  void waitBefore(Operation *last, ArrayRef<host::CollectiveOp> all) {
    host::CollectiveOp first = all.front();
    if (last)
      builder.setInsertionPointAfter(last);
    else
      builder.setInsertionPointToStart(first->getBlock());
    Value event = host::RecordOp::create(builder, first.getLoc(), loop.getMine());
    builder.setInsertionPoint(first);
    host::WaitOp::create(builder, first.getLoc(), first.getStream(), event);
  }

  // What comes after the last of them comes after all.
  void waitBehind(Operation *next, host::CollectiveOp last) {
    builder.setInsertionPointAfter(last);
    Value event = host::RecordOp::create(builder, last.getLoc(), last.getStream());
    builder.setInsertionPoint(next);
    host::WaitOp::create(builder, next->getLoc(), loop.getMine(), event);
  }

  host::StreamForOp loop;
  ArrayRef<host::CollectiveOp> collectives; // in the order of the block
  OpBuilder builder;
  llvm::MapVector<Operation *, SmallVector<host::CollectiveOp>> before, behind;
};

} // namespace

void mlir::heddle::orderCollectives(host::StreamForOp loop) {
  llvm::MapVector<Block *, SmallVector<host::CollectiveOp>> blocks;
  loop.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto collective = dyn_cast<host::CollectiveOp>(op))
      blocks[op->getBlock()].push_back(collective);
    return isa<host::StreamForOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
  for (auto &[block, collectives] : blocks)
    BlockOrder(loop, collectives).apply();
}
