// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Encode/PropagateTransposes.h"

#include "compiler/Stages/Encode/Components.h"
#include "compiler/Stages/Encode/Passes.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"

#include <set>

using namespace mlir;
using namespace mlir::heddle;
using encode::Component;

namespace mlir::heddle {
#define GEN_PASS_DEF_PROPAGATETRANSPOSES
#include "compiler/Stages/Encode/Passes.h.inc"
} // namespace mlir::heddle

static bool isLive(linalg::TransposeOp op) { return op.hasPureTensorSemantics(); }

static SmallVector<linalg::TransposeOp> collect(ModuleOp module) {
  SmallVector<linalg::TransposeOp> transposes;
  module.walk([&](linalg::TransposeOp op) {
    if (isLive(op))
      transposes.push_back(op);
  });
  return transposes;
}

// Transposes of transposes, and those that are views or of filled values; those that nobody reads go.
static void fold(RewriterBase &rewriter, linalg::TransposeOp op) {
  if (op->use_empty())
    return rewriter.eraseOp(op);
  Value input = op.getInput();
  if (!input.getDefiningOp<linalg::TransposeOp>() && !input.getDefiningOp<linalg::FillOp>() &&
      !encode::isView(cast<RankedTensorType>(input.getType()), op.getPermutation()))
    return;
  rewriter.setInsertionPoint(op);
  rewriter.replaceOp(op, encode::transposed(rewriter, input, op.getPermutation()));
}

namespace {

// The transposes of one block that may start a component that pays.
class BlockWorklist : RewriterBase::Listener {
public:
  BlockWorklist(Block *block, int64_t most, encode::PropagationCounts &counts)
      : block(block), most(most), counts(counts), rewriter(block->getParentOp()->getContext(), this) {
    for (auto op : block->getOps<linalg::TransposeOp>())
      add(op);
  }

  // Turns until nothing pays: the first component in which transposes follow, else the first in which they are
  // absorbed.
  bool run() {
    bool changed = false;
    while (counts.turned < most && (!pending[0].empty() || !pending[1].empty())) {
      size_t kind = pending[0].empty() ? 1 : 0;
      auto op = cast<linalg::TransposeOp>(*pending[kind].begin());
      pending[kind].erase(pending[kind].begin());
      bool isTurned = turnAt(op, kind == 0 ? Component::Transposes::Follow : Component::Transposes::Absorb);
      changed |= isTurned;
    }
    return changed;
  }

private:
  struct InOrder {
    bool operator()(Operation *a, Operation *b) const { return a != b && a->isBeforeInBlock(b); }
  };

  void add(linalg::TransposeOp op) {
    if (!isLive(op) || encode::isConstant(op.getInput()))
      return;
    for (auto &list : pending)
      list.insert(op);
  }

  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    if (op->getBlock() == block && isa<linalg::TransposeOp>(op)) {
      made.insert(op);
      nearby.insert(op);
    }
  }
  void notifyOperationErased(Operation *op) override {
    readers.erase(op);
    if (op->getBlock() != block || !isa<linalg::TransposeOp>(op))
      return;
    for (auto &list : pending)
      list.erase(op);
    made.remove(op);
    nearby.remove(op);
    live.erase(op);
  }

  bool turnAt(linalg::TransposeOp op, Component::Transposes kind) {
    std::pair<Value, encode::Permutation> starts[] = {{op->getResult(0), encode::inverse(op.getPermutation())},
                                                      {op.getInput(), encode::Permutation(op.getPermutation())}};
    for (auto &[value, permutation] : starts) {
      Component component(kind);
      component.grow(value, permutation);
      ++counts.evaluated;
      if (component.gain() > 0) {
        turn(component);
        return true;
      }
      live.insert(op);
      for (Operation *touched : component.touched())
        readers[touched].insert(op);
    }
    return false;
  }

  void turn(Component &component) {
    ++counts.turned;
    llvm::SetVector<Operation *> again;
    made.clear();
    nearby.clear();
    for (Operation *op : component.touched()) {
      if (auto found = readers.find(op); found != readers.end())
        again.insert(found->second.begin(), found->second.end());
      if (isa<linalg::TransposeOp>(op))
        nearby.insert(op);
    }
    component.turn(rewriter);
    clean();
    for (Operation *op : again)
      if (live.contains(op))
        add(cast<linalg::TransposeOp>(op));
    for (Operation *op : made)
      add(cast<linalg::TransposeOp>(op));
  }

  // What the whole module is brought to before: no transposes of transposes, none twice, none that nobody reads.
  void clean() {
    for (Operation *op : made)
      for (Value value : {Value(op->getResult(0)), op->getOperand(0)})
        for (Operation *user : value.getUsers())
          if (user->getBlock() == block && isa<linalg::TransposeOp>(user))
            nearby.insert(user);
    while (!nearby.empty()) {
      auto op = cast<linalg::TransposeOp>(nearby.pop_back_val());
      if (!isLive(op))
        continue;
      Operation *input = op.getInput().getDefiningOp();
      if (Operation *same = findSame(op))
        rewriter.replaceOp(op, same->getResults());
      else
        fold(rewriter, op);
      if (input && input->getBlock() == block && isa<linalg::TransposeOp>(input) && input->use_empty())
        nearby.insert(input);
    }
  }

  // A transpose before it that makes the same value.
  Operation *findSame(linalg::TransposeOp op) {
    for (Operation *user : op.getInput().getUsers())
      if (auto other = dyn_cast<linalg::TransposeOp>(user))
        if (other != op && other->getBlock() == block && other.getInput() == op.getInput() && isLive(other) &&
            other.getPermutation() == op.getPermutation() && other->isBeforeInBlock(op))
          return other;
    return nullptr;
  }

  Block *block;
  int64_t most; // turns in all
  encode::PropagationCounts &counts;
  IRRewriter rewriter;
  std::set<Operation *, InOrder> pending[2]; // starts of components in which transposes follow, and are absorbed
  DenseMap<Operation *, llvm::SetVector<Operation *>> readers; // starts whose price depends on the op
  DenseSet<Operation *> live;                                  // starts that are still there
  llvm::SetVector<Operation *> made, nearby;
};

struct PropagateTransposes : mlir::heddle::impl::PropagateTransposesBase<PropagateTransposes> {
  void runOnOperation() override { encode::propagateTransposes(getOperation()); }
};

} // namespace

encode::PropagationCounts encode::propagateTransposes(ModuleOp module) {
  PropagationCounts counts;
  IRRewriter rewriter(module.getContext());
  DominanceInfo dominance(module);
  // Each turn leaves less to transpose, so that they end. The price foresees what turning and folding will make of the
  // transposes; should it err, they end here.
  constexpr int64_t kTurnsForATranspose = 8;
  int64_t most = kTurnsForATranspose * collect(module).size();
  bool changed = true;
  while (changed && counts.turned < most) {
    for (linalg::TransposeOp op : collect(module))
      fold(rewriter, op);
    eliminateCommonSubExpressions(rewriter, dominance, module);
    llvm::SetVector<Block *> blocks;
    for (linalg::TransposeOp op : collect(module))
      blocks.insert(op->getBlock());
    changed = false;
    for (Block *block : blocks)
      changed |= BlockWorklist(block, most, counts).run();
  }
  return counts;
}
