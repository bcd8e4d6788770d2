// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/call/PlanMemo.h"

#include "heddle/contract/Plan.h"

#include <algorithm>

namespace heddle {

PlanMemo::PlanMemo(const fb::PlanSpec &spec) : spec_(spec) {
  size_t count = spec.intervals() ? spec.intervals()->size() : 0;
  wanted_.resize(count);
  for (Entry &entry : entries_) {
    entry.sizes.resize(count);
    entry.offsets.resize(count);
  }
}

std::span<const int64_t> PlanMemo::find(std::span<const int64_t> sizes, int64_t &total, uint64_t &missed) {
  for (uint32_t i = 0; i < kEntries; ++i) {
    const Entry &entry = entries_[(last_ + kEntries - i) % kEntries];
    if (entry.used && std::equal(sizes.begin(), sizes.end(), entry.sizes.begin())) {
      total = entry.total;
      return entry.offsets;
    }
  }
  static_assert(sizeof(fb::Interval) == sizeof(contract::Interval));
  std::span<const contract::Interval> intervals;
  if (!sizes.empty())
    intervals = {reinterpret_cast<const contract::Interval *>(spec_.intervals()->data()), sizes.size()};
  last_ = (last_ + 1) % kEntries;
  Entry &entry = entries_[last_];
  std::copy(sizes.begin(), sizes.end(), entry.sizes.begin());
  total = entry.total = contract::plan(intervals, sizes, entry.offsets);
  entry.used = true;
  ++missed;
  return entry.offsets;
}

} // namespace heddle
