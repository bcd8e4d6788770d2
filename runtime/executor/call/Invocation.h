// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What callers hold to call one function: synchronously, or on a queue behind others. A call's own work is Call.h's;
// here is who may call when: one call at a time, its end, its cancellation, a fork, the loss of a device.
//
// Calls follow one another; settings are changed between them. Only cancel() may come from another thread.
//
//   std::unique_ptr<Invocation> invocation = std::move(*Invocation::create(module, *module->entryPoints()[0]));
//   HEDDLE_RETURN_IF_ERROR(invocation->call(arguments, results));
#ifndef HEDDLE_RUNTIME_EXECUTOR_CALL_INVOCATION_H
#define HEDDLE_RUNTIME_EXECUTOR_CALL_INVOCATION_H

#include "runtime/base/Fork.h"
#include "runtime/executor/call/Call.h"
#include "runtime/executor/call/StartedCall.h"

namespace heddle {

class Invocation {
public:
  // `function` is one of the module's. Io, OutOfMemory.
  static StatusOr<std::unique_ptr<Invocation>> create(std::shared_ptr<const Module> module, const Function &function);
  // Cancels a running call and waits for its end.
  ~Invocation();

  // As heddle_invocation_call() and heddle_invocation_start(), with tensors and with views. Busy while another call
  // runs.
  Status call(std::span<const heddle_tensor> arguments, std::span<heddle_tensor> results);
  Status callViews(std::span<const heddle_view> arguments, std::span<heddle_view> results);
  StatusOr<std::shared_ptr<StartedCall>> start(std::span<const heddle_tensor> arguments, StartRequest request);
  StatusOr<std::shared_ptr<StartedCall>> startViews(std::span<const heddle_view> arguments, StartRequest request);
  // The end of such a call alone: value 1 of the semaphore.
  StatusOr<std::shared_ptr<hal::Semaphore>> start(std::span<const heddle_tensor> arguments,
                                                  std::span<heddle_tensor> results, std::vector<hal::Point> waits,
                                                  hal::Queue *queue);
  // The started call, on the thread of who took it.
  void runStarted(StartedCall &started);
  // In place of a call, for what its caller found wrong with it: as a call whose arguments this rank refuses. The
  // cause, or why the world has ended; ok: nothing was done, as the function meets no other ranks.
  Status refuseCall(Status cause);
  // The same as a started call, which ends with the cause; null: nothing is done.
  StatusOr<std::shared_ptr<StartedCall>> startRefusal(Status cause);
  // Runs a bind function, once. The invocation's memory goes to the binding.
  Status bind(Binding &binding);
  // Ends the call that runs, soon, with Cancelled. Nothing when there is none. Any thread.
  void cancel();

  // The time limit of later calls, 0: none.
  void setTimeout(uint64_t ns) { call_.clock().setTimeout(ns); }
  // Whose values later calls of an entry point with state use; there must be one. Busy while a call runs.
  Status setState(std::shared_ptr<State> state);
  // Later calls measure their dispatches.
  void setProfiling(bool on) { call_.setProfiling(on); }
  bool profiling() const { return call_.profiling(); }
  // Later calls are traced; an empty sink ends it. Not while a call runs.
  void setTrace(TraceSink sink) { call_.setTrace(std::move(sink)); }

  const CallStatistics &statistics() const { return call_.statistics(); }
  // Of the transient memory that is kept from call to call.
  uint64_t slabBytes() const { return call_.memory().bytes(); }
  const Module &module() const { return *module_; }
  const Function &function() const { return function_; }
  // A call failed because a device was lost: no later one can succeed. Any thread.
  bool lostDevice() const { return lostDevice_.load(std::memory_order_relaxed); }

  // In the child of a fork a call that ran on another thread is given up.
  void beforeFork() {}
  void afterForkInParent() {}
  void afterForkInChild();

private:
  Invocation(std::shared_ptr<const Module> module, const Function &function);
  Status refuse(Status cause);
  Status acquire();
  // A call ends with this; the next one may begin.
  void release(const Status &status);
  // `begin` checks the arguments, `finish` tells the caller.
  template <typename Begin, typename Finish> Status callWith(Begin &&begin, Finish &&finish);
  template <typename Begin> StatusOr<std::shared_ptr<StartedCall>> startWith(StartRequest request, Begin &&begin);
  // An asynchronous call is handed to the queue.
  Status issue(const std::shared_ptr<StartedCall> &started);

  std::shared_ptr<const Module> module_;
  const Function &function_;
  Call call_;
  std::atomic<bool> running_{false};
  std::atomic<bool> lostDevice_{false};
  std::shared_ptr<StartedCall> started_; // the asynchronous call that runs
  uint64_t lastNs_ = UINT64_MAX;         // how long the last one took
  bool forked_ = false;                  // while a call ran, which is the parent's
  ForkMember<Invocation> fork_{this};
};

// A BindRunner (load/Module.h): by an invocation of its own, for at most five seconds, packing apart.
Status runBindFunction(std::shared_ptr<const Module> module, const Function &function, Binding &binding);

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_CALL_INVOCATION_H
