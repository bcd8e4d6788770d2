// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call that was started and may not have begun. Its queue runs it; who waits for it first may run it instead, which
// saves two changes of threads: so a short call that is started and waited for costs little more than one that is not
// started.
//
// Shared between the queue, the invocation and whoever waits. Any thread may tryRun(); one of them takes the call.
//
//   std::shared_ptr<StartedCall> started = std::move(*invocation->start(request));
//   started->tryRun();
//   HEDDLE_RETURN_IF_ERROR(started->done.wait(1));
#ifndef HEDDLE_RUNTIME_EXECUTOR_CALL_STARTEDCALL_H
#define HEDDLE_RUNTIME_EXECUTOR_CALL_STARTEDCALL_H

#include "heddle/buffers.h"
#include "runtime/executor/call/Turn.h"
#include "runtime/executor/load/Module.h"
#include "runtime/hal/Queue.h"

#include <span>
#include <vector>

namespace heddle {

class Invocation;

// What a call is started with. The memory that the spans name must live until it is done.
struct StartRequest {
  std::span<heddle_tensor> tensors; // where results go, or
  std::span<heddle_view> views;     // of a call with views
  bool hasViews = false;
  std::vector<hal::Point> waits, signals;
  hal::Queue *queue = nullptr; // null: the module's own

  // Nothing is left to wait for.
  bool isReady() const;
};

struct StartedCall {
  Invocation *invocation; // whoever takes the call may use it, nobody else
  StartRequest request;
  uint64_t startNs = 0;
  Status refusal; // what is wrong with its arguments, for the other ranks; ok: nothing
  Turn::Ticket ticket;
  uint64_t hostTime = 0;                 // of who started it (hal/HostTime.h)
  hal::Semaphore done;                   // reached at 1
  std::shared_ptr<CallsOnQueue> onQueue; // null: only the queue may run it
  bool mayMove = false;                  // it waits for nothing and is expected to be short
  std::atomic<bool> taken{false};

  // What the queue is given: its turn. Both keep the call until then.
  hal::CommandBuffer commands;
  std::shared_ptr<StartedCall> self;

  // Runs the call on this thread, to its end, if that is allowed, nothing comes before it on its queue, and nobody has
  // taken it; and if the queue keeps up, as it holds the call until its turn.
  void tryRun();
  // The queue's turn: runs it, or waits for who has taken it.
  void run();
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_CALL_STARTEDCALL_H
