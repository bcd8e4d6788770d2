// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/hal/Event.h"

#include "runtime/base/Fork.h"

#include <chrono>

namespace heddle::hal {

bool Event::signal(Status failure) {
  std::lock_guard lock(mutex_);
  if (query() != EventState::Pending)
    return false;
  bool failed = !failure.ok();
  cause_ = std::move(failure);
  state_.store(failed ? EventState::Failed : EventState::Done, std::memory_order_release);
  reached_.notify_all();
  return true;
}

Status Event::wait(uint64_t timeoutNs) {
  if (query() == EventState::Done)
    return {};
  std::unique_lock lock(mutex_);
  auto reached = [&] { return query() != EventState::Pending; };
  constexpr uint64_t century = 3'000'000'000'000'000'000; // later than that the clock overflows
  if (timeoutNs >= century)
    reached_.wait(lock, reached);
  else if (!reached_.wait_for(lock, std::chrono::nanoseconds(timeoutNs), reached))
    return Status(StatusCode::DeadlineExceeded,
                  "the event was not reached in " + std::to_string(timeoutNs / 1000) + " us");
  return cause_.clone();
}

void Event::reset() {
  if (query() == EventState::Pending)
    return;
  std::lock_guard lock(mutex_); // after a signal that has just been seen
  cause_ = {};
  state_.store(EventState::Pending, std::memory_order_release);
}

void Event::failAfterFork(Status failure) {
  makeAnew(mutex_);
  makeAnew(reached_);
  (void)signal(std::move(failure));
}

} // namespace heddle::hal
