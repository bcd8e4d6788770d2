// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Streams.h"

#include <algorithm>

namespace heddle::contract::check {

uint32_t Streams::named(int64_t device, int64_t number) {
  auto [entry, isNew] = names_.try_emplace({device, number}, static_cast<uint32_t>(clocks_.size()));
  if (isNew)
    clocks_.emplace_back();
  return entry->second;
}

// What the host has waited for has ended when it issues the next work.
uint64_t Streams::issue(uint32_t stream) {
  Clock &clock = clocks_[stream];
  join(clock, host_);
  clock.resize(std::max<size_t>(clock.size(), stream + 1));
  return ++clock[stream];
}

void Streams::join(Clock &to, const Clock &from) {
  to.resize(std::max(to.size(), from.size()));
  for (size_t i = 0; i < from.size(); ++i)
    to[i] = std::max(to[i], from[i]);
}

void Streams::record(uint32_t event, uint32_t stream) {
  join(clocks_[stream], host_);
  events_[event] = clocks_[stream];
}

bool Streams::wait(uint32_t stream, uint32_t event) {
  auto found = events_.find(event);
  if (found == events_.end())
    return false;
  join(clocks_[stream], found->second);
  return true;
}

bool Streams::await(uint32_t event) {
  auto found = events_.find(event);
  if (found == events_.end())
    return false;
  join(host_, found->second);
  return true;
}

bool Streams::moveEvent(uint32_t to, uint32_t from) {
  auto found = events_.find(from);
  if (found == events_.end())
    return false;
  Clock moved = found->second;
  events_[to] = std::move(moved);
  return true;
}

std::optional<uint32_t> Streams::firstLoose() const {
  for (uint32_t stream = 0; stream < clocks_.size(); ++stream)
    if (!knows(kCall, stream, at(clocks_[stream], stream)))
      return stream;
  return std::nullopt;
}

} // namespace heddle::contract::check
