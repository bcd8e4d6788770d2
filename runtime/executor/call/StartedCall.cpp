// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/call/StartedCall.h"

#include "runtime/executor/call/Invocation.h"

#include <algorithm>

namespace heddle {

bool StartRequest::isReady() const {
  return std::none_of(waits.begin(), waits.end(), [](const hal::Point &point) { return point.isPending(); });
}

void StartedCall::tryRun() {
  if (!mayMove || done.query(1) != hal::SemaphoreState::Pending || onQueue->load(std::memory_order_acquire) != 1)
    return;
  if (!taken.exchange(true, std::memory_order_acq_rel))
    invocation->runStarted(*this);
}

void StartedCall::run() {
  if (!taken.exchange(true, std::memory_order_acq_rel))
    invocation->runStarted(*this);
  else
    (void)done.wait(1);
}

} // namespace heddle
