// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/call/StartedCall.h"

#include "runtime/executor/call/Invocation.h"

#include <algorithm>

namespace heddle {

bool StartRequest::isReady() const {
  return std::all_of(events.begin(), events.end(),
                     [](const auto &event) { return event->query() != hal::EventState::Pending; }) &&
         std::none_of(waits.begin(), waits.end(), [](const hal::Point &point) { return point.isPending(); });
}

void StartedCall::tryRun() {
  if (!mayMove || done.query() != hal::EventState::Pending || onStream->load(std::memory_order_acquire) != 1)
    return;
  if (!taken.exchange(true, std::memory_order_acq_rel))
    invocation->runStarted(*this);
}

void StartedCall::run() {
  if (!taken.exchange(true, std::memory_order_acq_rel))
    invocation->runStarted(*this);
  else
    (void)done.wait();
}

} // namespace heddle
