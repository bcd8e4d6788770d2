// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A timeline: a number that only rises, which hosts and devices signal and wait for. A value is pending, reached, or
// failed. A failure is for good: every value above the one that was reached has failed, with the first cause. Who wants
// to go on takes a new semaphore.
//
// Values are signalled by the host, or by work that a device was given (DeviceWork). A queue that hands such work to
// its device promises the value; another queue that can wait for that work on the device does so, and no host thread
// stands in between. A host that waits for a promised value waits for the device.
//
// Any thread may call anything. Shared by std::shared_ptr between threads: who signals may still touch the semaphore
// when a waiter has already seen the value.
//
//   auto done = std::make_shared<Semaphore>();
//   HEDDLE_RETURN_IF_ERROR(queue.submit(commands, {}, {{done, 1}}));
//   HEDDLE_RETURN_IF_ERROR(done->wait(1));
#ifndef HEDDLE_RUNTIME_HAL_SEMAPHORE_H
#define HEDDLE_RUNTIME_HAL_SEMAPHORE_H

#include "runtime/base/Status.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace heddle::hal {

enum class SemaphoreState : uint8_t { Pending = 0, Reached = 1, Failed = 2 };

// Work that was handed to a device, by tickets that rise from 1. Thread-safe.
class DeviceWork {
public:
  virtual ~DeviceWork() = default;
  // Returns when the work up to the ticket is done, or the time is over. Work that is done has signalled its
  // semaphores, or failed them, when this returns true.
  virtual bool wait(uint64_t ticket, uint64_t timeoutNs) = 0;
  // Equal for work whose tickets the same device can wait for by itself.
  virtual const void *family() const = 0;
};

// Who will signal a value.
struct Promise {
  uint64_t value = 0;
  std::shared_ptr<DeviceWork> work;
  uint64_t ticket = 0;
  bool fails = false; // it is known that the semaphore fails instead, when the work is done
};

// Who wants to know, without a thread that waits.
class SemaphoreWatcher {
public:
  virtual ~SemaphoreWatcher() = default;
  // By the thread that signals, fails or promises, without locks of the semaphore. Short, as that thread waits.
  virtual void changed() = 0;
};

class Semaphore {
public:
  explicit Semaphore(uint64_t value = 0) : number_(nextNumber()), reached_(value) {}
  Semaphore(const Semaphore &) = delete;
  Semaphore &operator=(const Semaphore &) = delete;

  // Another one for each semaphore of the process.
  uint64_t number() const { return number_; }
  // The highest value that was reached.
  uint64_t value();
  SemaphoreState query(uint64_t value);
  // Values up to this one are reached. Nothing where they are already, or failed; false then.
  bool signal(uint64_t value);
  // Every value that is not reached fails. Only the first failure counts: false for a later one, which is dropped.
  bool fail(Status cause);
  // It failed: no value is reached any more. One load.
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  // The cause; ok while there is none.
  Status cause() const;
  // The cause when the value failed, DeadlineExceeded when it is still pending after `timeoutNs`.
  Status wait(uint64_t value, uint64_t timeoutNs = UINT64_MAX);

  // A queue will signal the value when the work is done; it was handed over. In the order of values.
  void promise(Promise promise);
  // Who promised the value; null work: nobody, or it is settled.
  Promise promiseOf(uint64_t value) const;
  // Waits until the value is not pending, or promised; who promised it, or null work. For queues.
  Promise waitForPromise(uint64_t value);
  // The watcher is called once, as soon as the value is reached, failed or promised. False, and never, when it is so
  // already. Asking for the same again before that changes nothing. bad_alloc.
  bool watch(uint64_t value, const std::shared_ptr<SemaphoreWatcher> &watcher);

  // In the child of a fork, where who would signal is gone: the locks are new, and pending values fail.
  void failAfterFork(Status failure);

private:
  bool isSettled(uint64_t value) const {
    return reached_.load(std::memory_order_acquire) >= value || failed_.load(std::memory_order_acquire);
  }
  struct Watch {
    uint64_t value;
    std::shared_ptr<SemaphoreWatcher> watcher;
  };
  static uint64_t nextNumber() {
    static std::atomic<uint64_t> next = 0;
    return next.fetch_add(1, std::memory_order_relaxed);
  }
  Promise promised(uint64_t value) const;
  // Calls those who watch values up to this one, each without the lock.
  void tellWatchers(uint64_t value);

  const uint64_t number_;
  std::atomic<uint64_t> reached_;
  std::atomic<bool> failed_{false};
  std::atomic<bool> isPromised_{false}; // there are promises
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  uint32_t waiters_ = 0;
  std::deque<Promise> promises_; // not reached, ascending
  std::vector<Watch> watches_;
  Status cause_;
};

// A value of a semaphore: to be waited for, or to be signalled. Without a semaphore it is reached.
struct Point {
  std::shared_ptr<Semaphore> semaphore;
  uint64_t value = 0;

  bool isPending() const { return semaphore && semaphore->query(value) == SemaphoreState::Pending; }
  Status wait(uint64_t timeoutNs = UINT64_MAX) const {
    return semaphore ? semaphore->wait(value, timeoutNs) : Status();
  }
};

} // namespace heddle::hal

#endif // HEDDLE_RUNTIME_HAL_SEMAPHORE_H
