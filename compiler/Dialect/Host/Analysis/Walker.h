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

#include <array>

namespace mlir::heddle::host {

// Values pass the border of a region: `from[i]` is known as `to[i]` behind it. Of a loop over streams: on entry, and in
// the next iteration, what the stream of issue comes after, the iteration's stream comes after too, and in an ordered
// loop also what the stream of the iteration before comes after; nothing is handed on behind it.
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
  // Whether the body of an scf.for or host.stream_for runs at all, and whether that of an scf.while runs again.
  template <typename State> FailureOr<bool> begins(Operation *, State &) { return true; }
  template <typename State> FailureOr<bool> passes(scf::ConditionOp, State &) { return true; }
  // Whether a loop over streams is walked; else it is a step.
  bool entersStreamLoops() const { return true; }
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
    auto streams = dyn_cast<StreamForOp>(op);
    if (streams ? !machine.entersStreamLoops() : !isa<scf::IfOp, scf::IndexSwitchOp, scf::ForOp, scf::WhileOp>(op))
      return machine.step(op, state);
    if (failed(machine.enterRegions(op, state)))
      return failure();
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return walkFor(loop, *loop.getBody(), ForEnds{loop}, state);
    if (streams)
      return walkFor(streams, streams.getBody().front(), StreamForEnds{streams}, state);
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

  // What the loops with a number of trips hand on.
  struct ForEnds {
    scf::ForOp loop;
    std::pair<ValueRange, ValueRange> enter() { return {loop.getInitArgs(), loop.getRegionIterArgs()}; }
    std::pair<ValueRange, ValueRange> next() {
      return {loop.getBody()->getTerminator()->getOperands(), loop.getRegionIterArgs()};
    }
    std::pair<ValueRange, ValueRange> leave() { return {loop.getRegionIterArgs(), loop.getResults()}; }
  };
  struct StreamForEnds {
    StreamForOp loop;
    std::array<Value, 2> before = {loop.getIssue(), loop.getMine()}, mine = {loop.getMine(), loop.getMine()};
    std::pair<ValueRange, ValueRange> enter() {
      return {ValueRange(before).take_front(), ValueRange(mine).take_front()};
    }
    std::pair<ValueRange, ValueRange> next() {
      size_t count = loop.getOrdered() ? 2 : 1;
      return {ValueRange(before).take_front(count), ValueRange(mine).take_front(count)};
    }
    std::pair<ValueRange, ValueRange> leave() { return {ValueRange(), ValueRange()}; }
  };

  template <typename Ends> LogicalResult walkFor(Operation *loop, Block &body, Ends ends, State &head) {
    auto handOn = [&](Crossing::Kind kind, Operation *at, std::pair<ValueRange, ValueRange> values, State &state) {
      return machine.handOn({kind, loop, at, values.first, values.second}, state);
    };
    if (failed(handOn(Crossing::Kind::Enter, loop, ends.enter(), head)))
      return failure();
    FailureOr<bool> more = machine.begins(loop, head);
    while (succeeded(more) && *more) {
      State next = head;
      if (failed(walk(body, next)) || failed(handOn(Crossing::Kind::Next, body.getTerminator(), ends.next(), next)))
        return failure();
      more = machine.again(loop, head, next);
    }
    if (failed(more))
      return failure();
    return handOn(Crossing::Kind::Leave, loop, ends.leave(), head);
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
