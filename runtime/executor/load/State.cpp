// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/load/State.h"

#include "runtime/executor/load/Module.h"

namespace heddle {

State::State(const Module &module) : generation_(module.generation()) {
  values_.resize(module.metadata().globals() ? module.metadata().globals()->size() : 0);
}

void State::reset() {
  uint64_t ticket = order_.ask();
  while (!order_.enter(ticket, 1'000'000'000))
    ;
  for (StateValue &value : values_) {
    value.set = false;
    value.lost.clear();
  }
  order_.leave(ticket);
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
  uint64_t ticket = order_.ask(), bytes = 0;
  while (!order_.enter(ticket, 1'000'000'000))
    ;
  for (const StateValue &value : values_)
    bytes += (value.buffer ? value.buffer->bytes() : 0) + (value.spare ? value.spare->bytes() : 0);
  order_.leave(ticket);
  return bytes;
}

} // namespace heddle
