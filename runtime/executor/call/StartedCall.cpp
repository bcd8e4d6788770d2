// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/call/StartedCall.h"

#include "runtime/executor/call/Invocation.h"

#include <algorithm>

namespace heddle {

bool StartRequest::isReady() const {
  return std::none_of(waits.begin(), waits.end(), [](const hal::Point &point) { return point.isPending(); });
}

void StartedCall::tryRun() {
  constexpr uint32_t kMostTurns = 64;
  if (!mayMove || done.query(1) != hal::SemaphoreState::Pending)
    return;
  if (onQueue->running.load(std::memory_order_acquire) != 1 ||
      onQueue->turns.load(std::memory_order_relaxed) > kMostTurns)
    return;
  if (!taken.exchange(true, std::memory_order_acq_rel))
    invocation->runStarted(*this);
}

void StartedCall::run() {
  if (onQueue)
    onQueue->turns.fetch_sub(1, std::memory_order_relaxed);
  if (!taken.exchange(true, std::memory_order_acq_rel))
    invocation->runStarted(*this);
  else
    (void)done.wait(1);
}

} // namespace heddle
