// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The turn of a call among those that must not run side by side. With the values of its module's globals
// (load/State.h): it waits for it, binds values as arguments behind the caller's, and keeps the results that are their
// next values when the call is done. With the other ranks (load/Ranks.h): the collectives of one call come before those
// of the next. Nothing for a function that has neither.
//
// A call that fails before its program begins leaves the values as they are; behind that, what it writes in place is
// lost. One thread, but for failAfterFork().
//
//   Turn::Ticket ticket = turn.ask();                    // the order of calls
//   Status status = turn.enter(ticket);                  // waits; values are in the frame
//   …
//   turn.leave(ticket, status, started);                 // keeps or drops them, and lets the next call in
#ifndef HEDDLE_RUNTIME_EXECUTOR_CALL_TURN_H
#define HEDDLE_RUNTIME_EXECUTOR_CALL_TURN_H

#include "runtime/executor/call/Results.h"
#include "runtime/executor/load/Module.h"
#include "runtime/executor/load/Ranks.h"
#include "runtime/executor/load/State.h"

namespace heddle {

class Turn {
public:
  // Places in the orders of calls.
  struct Ticket {
    uint64_t state = 0, ranks = 0;
  };
  // Held around ask() and what puts a call on a stream.
  struct StartLock {
    std::unique_lock<std::mutex> ranks, state;
  };

  // All are borrowed.
  Turn(const Module &module, const Function &function, Frame &frame, CallDevices &devices, Results &results,
       const Clock &clock)
      : module_(module), function_(function), frame_(frame), devices_(devices), results_(results), clock_(clock),
        ranks_(function.meets ? module.ranks() : nullptr), isTaken_(ranks_ != nullptr) {}

  // Whose values later calls use. Not while a call runs.
  void use(std::shared_ptr<State> state) {
    state_ = std::move(state);
    isTaken_ = state_ || ranks_;
  }
  // There is something to take turns with.
  bool isTaken() const { return isTaken_; }
  // Internal where the function has state and got none.
  Status check() const { return state_ || function_.state.empty() ? Status() : refuse(); }

  // A place in each order. Each is given back by leave() or giveUp(), once. Under the start lock where a call is put on
  // a stream, so that streams and turns have one order.
  Ticket ask();
  StartLock startLock();
  Ticket askAtOnce() {
    if (!isTaken()) [[likely]]
      return {};
    StartLock lock = startLock();
    return ask();
  }
  void giveUp(Ticket ticket);

  // Waits for the turn, as long as the clock allows, and binds the values. DeviceLost: the program was loaded anew
  // since; StateLost: a value is gone; OutOfMemory.
  Status enter(Ticket ticket);
  // Waits for the turn alone, for a call that is going to be refused; leave() ends it.
  Status enterToRefuse(Ticket ticket) {
    holds_ = false;
    return wait(ticket);
  }
  // Each value that the program made fits its global and lies where it can be kept. InvalidArgument.
  Status checkResults() const;
  // Ends what enter() began, whatever that said: keeps the values of a call that succeeded; else drops what it wrote,
  // if its program had started.
  void leave(Ticket ticket, const Status &status, bool started);
  // In the child of a fork, where the call that runs does not: what it writes in place is half done.
  void failAfterFork(const Status &failure);

private:
  static Status refuse();
  Status wait(Ticket ticket);
  Status bind();
  Status bindArgument(const StateUse &use, StateValue &value);
  Status initialize(const StateUse &use, StateValue &value);
  Status write(uint32_t device, const hal::View &to, const std::byte *from);
  void keep();
  void drop(const Status &failure, bool started);

  const Module &module_;
  const Function &function_;
  Frame &frame_;
  CallDevices &devices_;
  Results &results_;
  const Clock &clock_;
  std::shared_ptr<State> state_; // null: the function uses none
  Ranks *ranks_;                 // null: the function meets no other ranks
  bool isTaken_;                 // there is a state, or ranks
  bool holds_ = false;           // it is this call's turn
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_CALL_TURN_H
