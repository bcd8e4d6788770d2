// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A point in time that is reached once: done, or failed with its first cause.
//
// Any thread may query, wait and signal. Only the first signal counts. reset() makes a pending event again and needs
// that nobody else uses the event. Shared by std::shared_ptr between threads: who signals may still touch the event
// when a waiter has already seen it reached.
//
//   auto event = std::make_shared<Event>();
//   stream.record(*event);
//   HEDDLE_RETURN_IF_ERROR(event->wait());
#ifndef HEDDLE_RUNTIME_HAL_EVENT_H
#define HEDDLE_RUNTIME_HAL_EVENT_H

#include "runtime/base/Status.h"

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace heddle::hal {

enum class EventState : uint8_t { Pending = 0, Done = 1, Failed = 2 };

class Event {
public:
  Event() = default;
  Event(const Event &) = delete;
  Event &operator=(const Event &) = delete;

  EventState query() const { return state_.load(std::memory_order_acquire); }
  // False when the event was signalled before; `failure` is dropped then.
  bool signal(Status failure = {});
  // The cause when the event failed, DeadlineExceeded when it is still pending after `timeoutNs`.
  Status wait(uint64_t timeoutNs = UINT64_MAX);
  void reset();
  // In the child of a fork, where who would signal is gone: a pending event fails.
  void failAfterFork(Status failure);

private:
  std::atomic<EventState> state_{EventState::Pending};
  std::mutex mutex_;
  std::condition_variable reached_;
  Status cause_;
};

} // namespace heddle::hal

#endif // HEDDLE_RUNTIME_HAL_EVENT_H
