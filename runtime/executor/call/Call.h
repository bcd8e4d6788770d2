// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call of one function on one thread: the nouns of this room put together, and the order in which a call uses them.
// Who may call when, and on which thread, is the invocation's business (Invocation.h).
//
// Everything that a call changes is here, and is kept for the next one: after the first call with the same shapes a
// call allocates nothing but the results that the caller gave no memory for. One thread at a time, but for
// clock().cancel().
//
//   call.begin(arguments, results);                    // checks, fills the frame
//   call.run(startNs, call.turn().askAtOnce());             // the program, up to the end of all streams
//   call.finish(results);                              // tells the caller
#ifndef HEDDLE_RUNTIME_EXECUTOR_CALL_CALL_H
#define HEDDLE_RUNTIME_EXECUTOR_CALL_CALL_H

#include "runtime/executor/call/Communicator.h"
#include "runtime/executor/call/Interpreter.h"
#include "runtime/executor/call/Observer.h"
#include "runtime/executor/call/Rehearsal.h"
#include "runtime/executor/call/Turn.h"
#include "runtime/executor/call/Views.h"

namespace heddle {

class Call {
public:
  // `function` is one of the module's; both are borrowed.
  Call(const Module &module, const Function &function);
  // Before the first call. Io, OutOfMemory.
  Status createStreams();

  // Settings of later calls. An empty sink ends the trace; a failed allocation leaves the old one.
  void setProfiling(bool on) { profiling_ = on; }
  bool profiling() const { return profiling_; }
  void setTrace(TraceSink sink);
  void bindTo(Binding *binding) { memoryInstructions_.bindTo(binding); }

  // A new call: nothing of the last one is left. An argument of type HEDDLE_NONE has its default.
  // InvalidArgument names what does not fit the function.
  Status begin(std::span<const heddle_tensor> arguments, std::span<const heddle_tensor> results);
  // The same with views, and instead of finish(). InvalidArgument too for what they say of memory.
  Status beginViews(std::span<const heddle_view> arguments, std::span<const heddle_view> results);
  void finishViews(std::span<heddle_view> results);
  // The call is over, however it went: what it kept for its caller goes.
  void end() {
    views_.release();
    drew_ = false;
  }
  // Runs the program, in its turn where there is a state, and brings results home. The time limit counts from
  // `startNs`. `ticket` is Turn::ask()'s and is used up.
  Status run(uint64_t startNs, Turn::Ticket ticket);
  // In place of run(): begin() said so. Where the call meets other ranks they are told, in the call's turn: all
  // of them fail alike, and the world goes on. Returns the cause.
  Status refuse(uint64_t startNs, Turn::Ticket ticket, Status cause);
  // Whether refuse() does anything for such a failure.
  bool mayRefuse(const Status &cause) const;
  // After a run that succeeded.
  void finish(std::span<heddle_tensor> results);
  // The call failed, before its run or in it: other ranks that may wait for it are told. Nothing for a call that meets
  // none.
  void tellRanks(const Status &failure);

  Clock &clock() { return clock_; }
  Turn &turn() { return turn_; }
  CallMemory &memory() { return memory_; }
  const CallMemory &memory() const { return memory_; }
  CallStatistics &statistics() { return statistics_; }
  const CallStatistics &statistics() const { return statistics_; }

private:
  // The arguments with defaults for those that are left out.
  std::span<const heddle_tensor> complete(std::span<const heddle_tensor> arguments);
  Status runInTurn(Turn::Ticket ticket);
  Status runProgram();
  Status runStaged();
  Status agree();
  Status checkAhead();

  const Module &module_;
  const Function &function_;
  bool profiling_ = false;
  bool drew_ = false; // begin() took the call's random number
  CallStatistics statistics_;
  Clock clock_;
  Frame frame_;
  std::vector<heddle_tensor> completed_; // the arguments of a function with defaults
  CallDevices devices_;
  CallMemory memory_;
  Transfers transfers_;
  Results results_;
  Boundary boundary_;
  Views views_;
  Turn turn_;
  Rehearsal rehearsal_;
  MemoryInstructions memoryInstructions_;
  Interpreter interpreter_;
  Communicator *communicator_ = nullptr; // the stream's; null: the function has no collectives
  std::unique_ptr<Observer> observer_;   // null: off
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_CALL_CALL_H
