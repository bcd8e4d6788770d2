// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call that was started and may not have begun. Its stream runs it; who waits for it first may run it instead, which
// saves two changes of threads: so a short call that is started and waited for costs little more than one that is not
// started.
//
// Shared between the stream, the invocation and whoever waits. Any thread may tryRun(); one of them takes the call.
//
//   std::shared_ptr<StartedCall> started = std::move(*invocation->start(request));
//   started->tryRun();
//   HEDDLE_RETURN_IF_ERROR(started->done.wait());
#ifndef HEDDLE_RUNTIME_EXECUTOR_CALL_STARTEDCALL_H
#define HEDDLE_RUNTIME_EXECUTOR_CALL_STARTEDCALL_H

#include "heddle/buffers.h"
#include "runtime/hal/Event.h"
#include "runtime/hal/Semaphore.h"
#include "runtime/hal/Stream.h"

#include <span>
#include <vector>

namespace heddle {

class Invocation;

// What a call is started with. The memory that the spans name must live until it is done.
struct StartRequest {
  std::span<heddle_tensor> tensors; // where results go, or
  std::span<heddle_view> views;     // of a call with views
  bool hasViews = false;
  std::vector<std::shared_ptr<hal::Event>> events; // waited for
  std::vector<hal::Point> waits, signals;
  hal::Stream *stream = nullptr; // null: the module's own

  // Nothing is left to wait for.
  bool isReady() const;
};

struct StartedCall {
  Invocation *invocation; // whoever takes the call may use it, nobody else
  StartRequest request;
  uint64_t startNs = 0, ticket = 0;
  hal::Event done;
  // Of the calls on the stream that are not done; null: only the stream may run it.
  std::shared_ptr<std::atomic<uint32_t>> onStream;
  bool mayMove = false; // it waits for nothing and is expected to be short
  std::atomic<bool> taken{false};

  // Runs the call on this thread, to its end, if that is allowed, nothing comes before it on its stream, and nobody has
  // taken it.
  void tryRun();
  // The stream's turn: runs it, or waits for who has taken it.
  void run();
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_CALL_STARTEDCALL_H
