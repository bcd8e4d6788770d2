// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/load/CallOrder.h"

#include <algorithm>
#include <chrono>

namespace heddle {

void CallOrder::afterForkInChild() {
  makeAnew(mutex_);
  makeAnew(startMutex_);
  makeAnew(turn_);
  order_.clear();
}

uint64_t CallOrder::ask() {
  std::lock_guard lock(mutex_);
  order_.push_back(next_);
  return next_++;
}

bool CallOrder::enter(uint64_t ticket, uint64_t ns) {
  std::unique_lock lock(mutex_);
  auto mine = [&] { return order_.front() == ticket; };
  if (mine())
    return true;
  return turn_.wait_for(lock, std::chrono::nanoseconds(ns), mine);
}

void CallOrder::leave(uint64_t ticket) {
  std::lock_guard lock(mutex_);
  if (auto place = std::find(order_.begin(), order_.end(), ticket); place != order_.end())
    order_.erase(place);
  turn_.notify_all();
}

} // namespace heddle
