// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waits of a call for points of its devices' timelines, which end early when the call has to.
//
//   HEDDLE_RETURN_IF_ERROR(waitFor(point, clock));
#ifndef HEDDLE_RUNTIME_EXECUTOR_CALL_WAIT_H
#define HEDDLE_RUNTIME_EXECUTOR_CALL_WAIT_H

#include "runtime/executor/call/Clock.h"
#include "runtime/hal/Queue.h"

namespace heddle {

// Returns when the point is reached, with its failure if it has one; else what the clock says. It stays pending then,
// and somebody may still signal it. The thread works for `queue` meanwhile, if there is one.
inline Status waitFor(const hal::Point &point, const Clock &clock, hal::Queue *queue = nullptr) {
  HEDDLE_RETURN_IF_ERROR(clock.waitUntil([&](uint64_t ns) {
    if (ns && point.isPending()) // too late for the slice is no answer: the point may be reached since
      (void)(queue ? queue->wait(point, ns) : point.wait(ns));
    return !point.isPending();
  }));
  return point.wait();
}

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_CALL_WAIT_H
