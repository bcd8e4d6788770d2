// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waits of a call for events of its devices, which end early when the call has to.
//
//   HEDDLE_RETURN_IF_ERROR(waitFor(*event, clock));
#ifndef HEDDLE_RUNTIME_EXECUTOR_CALL_WAIT_H
#define HEDDLE_RUNTIME_EXECUTOR_CALL_WAIT_H

#include "runtime/executor/call/Clock.h"
#include "runtime/hal/Event.h"

namespace heddle {

// Returns when the event is reached, with its failure if it has one; else what the clock says. The event stays pending
// then, and somebody may still signal it.
inline Status waitFor(hal::Event &event, const Clock &clock) {
  HEDDLE_RETURN_IF_ERROR(clock.waitUntil([&](uint64_t ns) {
    if (ns && event.query() == hal::EventState::Pending)
      (void)event.wait(ns); // too late for the slice is no answer: the event may be reached since
    return event.query() != hal::EventState::Pending;
  }));
  return event.wait();
}

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_CALL_WAIT_H
