// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/hal/RangeAllocator.h"

#include <algorithm>

namespace heddle::hal {

std::optional<uint64_t> RangeAllocator::take(uint64_t bytes) {
  auto best = free_.end();
  for (auto it = free_.begin(); it != free_.end(); ++it)
    if (it->second >= bytes && (best == free_.end() || it->second < best->second))
      best = it;
  if (best == free_.end())
    return std::nullopt;
  if (spares_.size() == taken_) {
    Ranges one{{0, 0}};
    spares_.push_back(one.extract(one.begin()));
  }
  ++taken_;
  auto node = free_.extract(best);
  uint64_t start = node.key();
  if (node.mapped() > bytes) {
    node.key() += bytes;
    node.mapped() -= bytes;
    free_.insert(std::move(node));
  }
  return start;
}

void RangeAllocator::give(uint64_t start, uint64_t bytes) {
  --taken_;
  auto next = free_.upper_bound(start);
  if (next != free_.end() && next->first == start + bytes) {
    bytes += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin())
    if (auto before = std::prev(next); before->first + before->second == start) {
      before->second += bytes;
      return;
    }
  auto node = std::move(spares_.back());
  spares_.pop_back();
  node.key() = start;
  node.mapped() = bytes;
  free_.insert(std::move(node));
}

uint64_t RangeAllocator::largestFree() const {
  uint64_t largest = 0;
  for (auto [start, bytes] : free_)
    largest = std::max(largest, bytes);
  return largest;
}

} // namespace heddle::hal
