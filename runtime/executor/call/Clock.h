// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What can end a call early: a deadline, and another thread's wish.
//
// The program looks at rings() before each dispatch and at each jump back, one load without order; what waits does so
// in slices (waitUntil), so that a call that should end does within a millisecond. Knows nothing of devices.
//
// cancel() may come from any thread at any time; all else belongs to the thread of the call. One clock serves the calls
// of an invocation, one after the other:
//
//   clock.begin();                            // forgets what stopped the last call
//   clock.start(nowNs());                     // the limit counts from here
//   HEDDLE_RETURN_IF_ERROR(clock.waitUntil([&](uint64_t ns) { return queue.isDone(ns); }));
#ifndef HEDDLE_RUNTIME_EXECUTOR_CALL_CLOCK_H
#define HEDDLE_RUNTIME_EXECUTOR_CALL_CLOCK_H

#include "runtime/base/Status.h"

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace heddle {

// Nanoseconds of the monotonic clock.
uint64_t nowNs();

class Clock {
public:
  // How long calls that start from now on may take; 0: as long as they want.
  void setTimeout(uint64_t ns) { timeoutNs_ = ns; }
  bool hasTimeout() const { return timeoutNs_ != 0; }

  // A new call: neither cancelled nor late.
  void begin() { reasons_.store(0, std::memory_order_relaxed); }
  // The call's time runs from `startNs` (of nowNs()). A second time it counts anew; that it was cancelled stays.
  void start(uint64_t startNs) {
    deadlineNs_ = timeoutNs_ ? startNs + timeoutNs_ : 0;
    if (timeoutNs_)
      reasons_.fetch_or(kDeadline, std::memory_order_relaxed);
  }
  // When the call's time is over, of nowNs(); 0: never.
  uint64_t deadlineNs() const { return deadlineNs_; }
  // What took so long does not count. Nothing for a call without a limit.
  void extend(uint64_t ns) { deadlineNs_ += deadlineNs_ ? ns : 0; }
  // The call ends at the next look. Any thread.
  void cancel() { reasons_.fetch_or(kCancelled, std::memory_order_relaxed); }

  // False: check() would say nothing. True: it is to be asked.
  bool rings() const { return reasons_.load(std::memory_order_relaxed) != 0; }
  // Cancelled, or DeadlineExceeded with the limit; ok while the call may go on.
  Status check() const;

  // Waits until `reached(ns)` says true, which waits for at most `ns` itself, at first not at all. What check() says as
  // soon as it says something, but a cancellation may be seen as much later as the wait has taken so far, up to
  // kMostSliceNs: thousands of threads that wait leave the cores to those that work. What is reached already is not
  // asked about.
  template <typename Reached> Status waitUntil(Reached &&reached) const {
    uint64_t slice = kSliceNs;
    for (uint64_t ns = 0; !reached(ns); slice = std::min(2 * slice, kMostSliceNs)) {
      HEDDLE_RETURN_IF_ERROR(check());
      ns = std::min(slice, leftNs());
    }
    return {};
  }

private:
  static constexpr uint32_t kCancelled = 1, kDeadline = 2; // bits of reasons_
  static constexpr uint64_t kSliceNs = 1'000'000, kMostSliceNs = 128'000'000;
  // Until the deadline, at least a moment; without one forever.
  uint64_t leftNs() const;

  std::atomic<uint32_t> reasons_{0};
  uint64_t timeoutNs_ = 0, deadlineNs_ = 0; // 0: none
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_CALL_CLOCK_H
