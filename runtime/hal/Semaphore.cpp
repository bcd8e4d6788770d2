// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Locks: a semaphore's is held for moments, and nothing else is called under it. What a device does is asked for
// without it.
#include "runtime/hal/Semaphore.h"

#include "runtime/base/Fork.h"
#include "runtime/base/Guarded.h"

#include <algorithm>
#include <chrono>

namespace heddle::hal {
namespace {

using Clock = std::chrono::steady_clock;
constexpr uint64_t kCentury = 3'000'000'000'000'000'000; // ns; later than that the clock overflows

// What is left of a time limit.
class Limit {
public:
  explicit Limit(uint64_t ns) : unlimited_(ns >= kCentury), end_(Clock::now()) {
    if (!unlimited_)
      end_ += std::chrono::nanoseconds(ns);
  }
  uint64_t leftNs() const {
    if (unlimited_)
      return UINT64_MAX;
    auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(end_ - Clock::now()).count();
    return left > 0 ? static_cast<uint64_t>(left) : 0;
  }

private:
  bool unlimited_;
  Clock::time_point end_;
};

} // namespace

Promise Semaphore::promised(uint64_t value) const {
  for (const Promise &promise : promises_)
    if (promise.value >= value)
      return promise;
  return {};
}

uint64_t Semaphore::value() {
  for (;;) {
    Promise next;
    {
      std::lock_guard lock(mutex_);
      if (!promises_.empty() && !failed_)
        next = promises_.front();
    }
    if (!next.work || !next.work->wait(next.ticket, 0))
      return reached_.load(std::memory_order_acquire);
  }
}

SemaphoreState Semaphore::query(uint64_t value) {
  if (!isSettled(value) && isPromised_.load(std::memory_order_acquire)) {
    Promise promise;
    {
      std::lock_guard lock(mutex_);
      promise = promised(value);
    }
    if (promise.work)
      (void)promise.work->wait(promise.ticket, 0);
  }
  if (reached_.load(std::memory_order_acquire) >= value)
    return SemaphoreState::Reached;
  return failed() ? SemaphoreState::Failed : SemaphoreState::Pending;
}

bool Semaphore::signal(uint64_t value) {
  std::unique_lock lock(mutex_);
  if (failed_ || reached_ >= value)
    return false;
  reached_.store(value, std::memory_order_release);
  while (!promises_.empty() && promises_.front().value <= value)
    promises_.pop_front();
  isPromised_.store(!promises_.empty(), std::memory_order_release);
  if (waiters_)
    changed_.notify_all();
  bool isWatched = !watches_.empty();
  lock.unlock();
  if (isWatched)
    tellWatchers(value);
  return true;
}

bool Semaphore::fail(Status cause) {
  std::unique_lock lock(mutex_);
  if (failed_)
    return false;
  cause_ = std::move(cause);
  failed_.store(true, std::memory_order_release);
  promises_.clear();
  isPromised_.store(false, std::memory_order_release);
  if (waiters_)
    changed_.notify_all();
  bool isWatched = !watches_.empty();
  lock.unlock();
  if (isWatched)
    tellWatchers(UINT64_MAX);
  return true;
}

// One after the other, so that no memory is needed.
void Semaphore::tellWatchers(uint64_t value) {
  for (;;) {
    std::shared_ptr<SemaphoreWatcher> watcher;
    {
      std::lock_guard lock(mutex_);
      auto next = std::find_if(watches_.begin(), watches_.end(), [&](const Watch &w) { return w.value <= value; });
      if (next == watches_.end())
        return;
      watcher = std::move(next->watcher);
      watches_.erase(next);
    }
    watcher->changed();
  }
}

bool Semaphore::watch(uint64_t value, const std::shared_ptr<SemaphoreWatcher> &watcher) {
  std::lock_guard lock(mutex_);
  if (isSettled(value) || promised(value).work)
    return false;
  for (const Watch &watch : watches_)
    if (watch.value == value && watch.watcher == watcher)
      return true;
  watches_.push_back({value, watcher});
  return true;
}

Status Semaphore::cause() const {
  if (!failed())
    return {};
  std::lock_guard lock(mutex_);
  return cause_.clone();
}

Status Semaphore::wait(uint64_t value, uint64_t timeoutNs) {
  if (reached_.load(std::memory_order_acquire) >= value)
    return {};
  Limit limit(timeoutNs);
  std::unique_lock lock(mutex_);
  while (!isSettled(value)) {
    uint64_t left = limit.leftNs();
    if (Promise promise = promised(value); promise.work) {
      lock.unlock();
      (void)promise.work->wait(promise.ticket, left);
      lock.lock();
    } else if (left) {
      ++waiters_;
      if (left == UINT64_MAX)
        changed_.wait(lock);
      else
        changed_.wait_for(lock, std::chrono::nanoseconds(left));
      --waiters_;
    }
    if (!left)
      break;
  }
  if (reached_.load(std::memory_order_acquire) >= value)
    return {};
  if (failed_)
    return cause_.clone();
  return Status(StatusCode::DeadlineExceeded, "the semaphore did not reach " + std::to_string(value) + " in " +
                                                  std::to_string(timeoutNs / 1000) + " us");
}

void Semaphore::promise(Promise promise) {
  uint64_t value = promise.value;
  std::unique_lock lock(mutex_);
  if (isSettled(value))
    return;
  promises_.push_back(std::move(promise));
  isPromised_.store(true, std::memory_order_release);
  if (waiters_)
    changed_.notify_all();
  bool isWatched = !watches_.empty();
  lock.unlock();
  if (isWatched)
    tellWatchers(value);
}

Promise Semaphore::promiseOf(uint64_t value) const {
  std::lock_guard lock(mutex_);
  return isSettled(value) ? Promise() : promised(value);
}

Promise Semaphore::waitForPromise(uint64_t value) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (isSettled(value))
      return {};
    if (Promise promise = promised(value); promise.work)
      return promise;
    ++waiters_;
    changed_.wait(lock);
    --waiters_;
  }
}

void Semaphore::failAfterFork(Status failure) {
  makeAnew(mutex_);
  makeAnew(changed_);
  waiters_ = 0;
  watches_.clear(); // their queues begin anew
  (void)fail(std::move(failure));
}

} // namespace heddle::hal
