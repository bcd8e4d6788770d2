// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The turn of a call with the values of its module's globals (load/State.h): it waits for it, binds values as arguments
// behind the caller's, and keeps the results that are their next values when the call is done. Nothing for a function
// without state.
//
// A call that fails before its program begins leaves the values as they are; behind that, what it writes in place is
// lost. One thread, but for failAfterFork().
//
//   uint64_t ticket = turn.ask();                        // the order of calls
//   Status status = turn.enter(ticket, started = false); // waits; values are in the frame
//   …
//   turn.leave(ticket, status, started);                 // keeps or drops them, and lets the next call in
#ifndef HEDDLE_RUNTIME_EXECUTOR_CALL_TURN_H
#define HEDDLE_RUNTIME_EXECUTOR_CALL_TURN_H

#include "runtime/executor/call/Results.h"
#include "runtime/executor/load/Module.h"
#include "runtime/executor/load/State.h"

namespace heddle {

class Turn {
public:
  // All are borrowed.
  Turn(const Module &module, const Function &function, Frame &frame, CallDevices &devices, Results &results,
       const Clock &clock)
      : module_(module), function_(function), frame_(frame), devices_(devices), results_(results), clock_(clock) {}

  // Whose values later calls use. Not while a call runs.
  void use(std::shared_ptr<State> state) { state_ = std::move(state); }
  // There is a state to take turns with.
  bool isTaken() const { return state_ != nullptr; }
  // Internal where the function has state and got none.
  Status check() const { return state_ || function_.state.empty() ? Status() : refuse(); }

  // A place in the order of calls. Each is given back by leave() or giveUp(), once. 0 without a state.
  uint64_t ask() { return state_ ? state_->ask() : 0; }
  void giveUp(uint64_t ticket);
  // Held around ask() and what puts the call on a stream, so that streams and turns have one order.
  std::unique_lock<std::mutex> startLock();

  // Waits for the turn, as long as the clock allows, and binds the values. DeviceLost: the program was loaded anew
  // since; StateLost: a value is gone; OutOfMemory.
  Status enter(uint64_t ticket);
  // Each value that the program made fits its global and lies where it can be kept. InvalidArgument.
  Status checkResults() const;
  // Ends what enter() began, whatever that said: keeps the values of a call that succeeded; else drops what it wrote,
  // if its program had started.
  void leave(uint64_t ticket, const Status &status, bool started);
  // In the child of a fork, where the call that runs does not: what it writes in place is half done.
  void failAfterFork(const Status &failure);

private:
  static Status refuse();
  Status wait(uint64_t ticket);
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
  bool holds_ = false;           // it is this call's turn
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_CALL_TURN_H
