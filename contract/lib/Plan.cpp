// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heddle/contract/Plan.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace heddle::contract {
namespace {

bool overlap(Interval a, Interval b) { return a.first <= b.last && b.first <= a.last; }

// The smallest gap between `taken` (sorted by offset) that holds `size`, else the end of the last one.
int64_t bestFit(const std::vector<std::pair<int64_t, int64_t>> &taken, int64_t size) {
  int64_t end = 0, best = -1, bestGap = std::numeric_limits<int64_t>::max();
  for (auto [offset, bytes] : taken) {
    int64_t gap = offset - end;
    if (gap >= size && gap < bestGap) {
      best = end;
      bestGap = gap;
    }
    end = std::max(end, offset + bytes);
  }
  return best >= 0 ? best : end;
}

} // namespace

int64_t plan(std::span<const Interval> intervals, std::span<const int64_t> sizes, std::span<int64_t> offsets) {
  size_t n = intervals.size();
  std::vector<int64_t> rounded(n);
  int64_t sum = 0;
  for (size_t i = 0; i < n; ++i) {
    int64_t up = 0;
    if (sizes[i] < 0 || __builtin_add_overflow(sizes[i], kPlanAlignment - 1, &up))
      return -1;
    rounded[i] = up & ~(kPlanAlignment - 1);
    if (__builtin_add_overflow(sum, rounded[i], &sum))
      return -1;
  }
  std::vector<size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return rounded[a] != rounded[b] ? rounded[a] > rounded[b] : a < b; });

  int64_t total = 0;
  std::vector<std::pair<int64_t, int64_t>> taken;
  for (size_t placed = 0; placed < n; ++placed) {
    size_t i = order[placed];
    taken.clear();
    for (size_t p = 0; p < placed; ++p)
      if (size_t j = order[p]; rounded[j] > 0 && overlap(intervals[i], intervals[j]))
        taken.emplace_back(offsets[j], rounded[j]);
    std::sort(taken.begin(), taken.end());
    offsets[i] = rounded[i] ? bestFit(taken, rounded[i]) : 0;
    total = std::max(total, offsets[i] + rounded[i]);
  }
  return total;
}

} // namespace heddle::contract
