// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/load/State.h"

#include "runtime/executor/load/Module.h"

#include <algorithm>
#include <chrono>

namespace heddle {

State::State(const Module &module) : generation_(module.generation()) {
  values_.resize(module.metadata().globals() ? module.metadata().globals()->size() : 0);
}

void State::afterForkInChild() {
  makeAnew(mutex_);
  makeAnew(startMutex_);
  makeAnew(turn_);
  order_.clear();
}

uint64_t State::ask() {
  std::lock_guard lock(mutex_);
  order_.push_back(next_);
  return next_++;
}

bool State::enter(uint64_t ticket, uint64_t ns) {
  std::unique_lock lock(mutex_);
  auto mine = [&] { return order_.front() == ticket; };
  if (mine())
    return true;
  return turn_.wait_for(lock, std::chrono::nanoseconds(ns), mine);
}

void State::leave(uint64_t ticket) {
  std::lock_guard lock(mutex_);
  if (auto place = std::find(order_.begin(), order_.end(), ticket); place != order_.end())
    order_.erase(place);
  turn_.notify_all();
}

void State::reset() {
  uint64_t ticket = ask();
  while (!enter(ticket, 1'000'000'000))
    ;
  for (StateValue &value : values_) {
    value.set = false;
    value.lost.clear();
  }
  leave(ticket);
}

bool State::follow(uint32_t generation) {
  if (generation_ == generation) [[likely]]
    return true;
  if (generation_ > generation)
    return false;
  for (StateValue &value : values_) {
    std::string lost = value.lost.empty() && value.set ? "its device was lost" : std::move(value.lost);
    value = {};
    value.lost = std::move(lost);
  }
  generation_ = generation;
  return true;
}

uint64_t State::bytes() {
  uint64_t ticket = ask(), bytes = 0;
  while (!enter(ticket, 1'000'000'000))
    ;
  for (const StateValue &value : values_)
    bytes += (value.buffer ? value.buffer->bytes() : 0) + (value.spare ? value.spare->bytes() : 0);
  leave(ticket);
  return bytes;
}

} // namespace heddle
