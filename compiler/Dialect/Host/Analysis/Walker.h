// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one walk over a host program: ops in order, branches, loops. What an op does, which branch is taken and how often
// a loop goes round is the machine's: one that has values goes the way of a run, one that has facts goes every way and
// round each loop until it learns nothing more.
//
//   class Counter : public WalkDefaults {
//   public:
//     struct State { unsigned ops = 0; };
//     LogicalResult step(Operation *op, State &state) { return ++state.ops, success(); }
//     FailureOr<bool> takes(mlir::Region &, State &) { return true; }
//     LogicalResult leaveBranch(Operation *, MutableArrayRef<BranchEnd<State>> ends, State &state) { … }
//     LogicalResult handOn(const Crossing &, State &) { return success(); }
//     FailureOr<bool> again(Operation *loop, State &head, State &next) { return false; }
//   };
//   Counter counter;
//   Counter::State state;
//   LogicalResult walked = Walker(counter).walk(func.getBody().front(), state);
//
// Ops that a step inserts are not walked, nor are ops that it moves behind itself walked again.
#ifndef HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_WALKER_H
#define HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_WALKER_H

#include "compiler/Dialect/Host/IR/HostOps.h"

namespace mlir::heddle::host {

// Values pass the border of a region: `from[i]` is known as `to[i]` behind it.
struct Crossing {
  enum class Kind {
    Enter, // into a loop
    Pass,  // from the condition of scf.while into its body
    Next,  // from the end of a loop's body into the next iteration
    Leave  // out of a loop
  };
  Kind kind;
  Operation *loop;
  Operation *at; // the terminator, or the loop, that hands them on
  ValueRange from, to;
};

// A region of a branch that may have run, and what is known at its end. Empty: the else that an scf.if has not.
template <typename State> struct BranchEnd {
  mlir::Region *region;
  State state;

  bool isEmpty() const { return region->empty(); }
  Operation *terminator() const { return region->front().getTerminator(); }
};

// What most machines do not care about.
struct WalkDefaults {
  // Before the first region of a branch or loop.
  template <typename State> LogicalResult enterRegions(Operation *, State &) { return success(); }
  // Whether an scf.for runs at all, and whether the body of an scf.while runs again.
  template <typename State> FailureOr<bool> begins(scf::ForOp, State &) { return true; }
  template <typename State> FailureOr<bool> passes(scf::ConditionOp, State &) { return true; }
};

template <typename Machine> class Walker {
public:
  using State = typename Machine::State;
  explicit Walker(Machine &machine) : machine(machine) {}

  // Failure is that of a method of the machine, at once.
  LogicalResult walk(Block &block, State &state) {
    for (Operation &op : llvm::make_early_inc_range(block))
      if (failed(walkOp(&op, state)))
        return failure();
    return success();
  }

private:
  LogicalResult walkOp(Operation *op, State &state) {
    if (!isa<scf::IfOp, scf::IndexSwitchOp, scf::ForOp, scf::WhileOp>(op))
      return machine.step(op, state);
    if (failed(machine.enterRegions(op, state)))
      return failure();
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return walkFor(loop, state);
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return walkWhile(loop, state);
    return walkBranch(op, state);
  }

  LogicalResult walkBranch(Operation *op, State &state) {
    SmallVector<BranchEnd<State>, 2> ends;
    for (mlir::Region &region : op->getRegions()) {
      FailureOr<bool> taken = machine.takes(region, state);
      if (failed(taken))
        return failure();
      if (!*taken)
        continue;
      ends.push_back({&region, state});
      if (!region.empty() && failed(walk(region.front(), ends.back().state)))
        return failure();
    }
    return machine.leaveBranch(op, ends, state);
  }

  LogicalResult walkFor(scf::ForOp loop, State &head) {
    Operation *yield = loop.getBody()->getTerminator();
    if (failed(machine.handOn({Crossing::Kind::Enter, loop, loop, loop.getInitArgs(), loop.getRegionIterArgs()}, head)))
      return failure();
    FailureOr<bool> more = machine.begins(loop, head);
    while (succeeded(more) && *more) {
      State next = head;
      if (failed(walk(*loop.getBody(), next)) ||
          failed(machine.handOn({Crossing::Kind::Next, loop, yield, yield->getOperands(), loop.getRegionIterArgs()},
                                next)))
        return failure();
      more = machine.again(loop, head, next);
    }
    if (failed(more))
      return failure();
    return machine.handOn({Crossing::Kind::Leave, loop, loop, loop.getRegionIterArgs(), loop.getResults()}, head);
  }

  LogicalResult walkWhile(scf::WhileOp loop, State &head) {
    scf::ConditionOp condition = loop.getConditionOp();
    scf::YieldOp yield = loop.getYieldOp();
    if (failed(machine.handOn({Crossing::Kind::Enter, loop, loop, loop.getInits(), loop.getBeforeArguments()}, head)))
      return failure();
    for (;;) {
      State passed = head;
      if (failed(walk(*loop.getBeforeBody(), passed)))
        return failure();
      FailureOr<bool> more = machine.passes(condition, passed);
      if (succeeded(more) && *more) {
        State next = passed;
        if (failed(machine.handOn(
                {Crossing::Kind::Pass, loop, condition, condition.getArgs(), loop.getAfterArguments()}, next)) ||
            failed(walk(*loop.getAfterBody(), next)) ||
            failed(machine.handOn({Crossing::Kind::Next, loop, yield, yield.getOperands(), loop.getBeforeArguments()},
                                  next)))
          return failure();
        more = machine.again(loop, head, next);
      }
      if (failed(more))
        return failure();
      if (*more)
        continue;
      head = std::move(passed);
      return machine.handOn({Crossing::Kind::Leave, loop, condition, condition.getArgs(), loop.getResults()}, head);
    }
  }

  Machine &machine;
};

} // namespace mlir::heddle::host

#endif // HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_WALKER_H
