// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/call/Clock.h"

#include <ctime>

namespace heddle {

uint64_t nowNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

uint64_t Clock::leftNs() const {
  if (!deadlineNs_)
    return UINT64_MAX;
  uint64_t now = nowNs();
  return now < deadlineNs_ ? deadlineNs_ - now : 1;
}

Status Clock::check() const {
  if (reasons_.load(std::memory_order_relaxed) & kCancelled)
    return Status(StatusCode::Cancelled, "the call was cancelled");
  if (deadlineNs_ && nowNs() > deadlineNs_)
    return Status(StatusCode::DeadlineExceeded,
                  "the call takes longer than its limit of " + std::to_string(timeoutNs_ / 1000) + " us");
  return {};
}

} // namespace heddle
