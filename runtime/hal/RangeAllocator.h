// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which ranges of [0, size) are taken: best fit, neighbours joined when freed. Plain bookkeeping; not thread-safe.
//
//   RangeAllocator ranges(1 << 20);
//   std::optional<uint64_t> at = ranges.take(4096);
//   ranges.give(*at, 4096);
#ifndef HEDDLE_RUNTIME_HAL_RANGEALLOCATOR_H
#define HEDDLE_RUNTIME_HAL_RANGEALLOCATOR_H

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace heddle::hal {

class RangeAllocator {
public:
  explicit RangeAllocator(uint64_t size) : size_(size) {
    if (size)
      free_[0] = size;
  }
  // The start of a free range, the lowest of the smallest that is large enough. `bytes` is not 0; sizes that are
  // multiples of a granule give starts that are.
  std::optional<uint64_t> take(uint64_t bytes);
  // What take() gave, once. Needs no memory: destructors call it.
  void give(uint64_t start, uint64_t bytes);
  bool empty() const { return size_ == 0 || (free_.size() == 1 && free_.begin()->second == size_); }
  uint64_t largestFree() const;

private:
  uint64_t size_;
  using Ranges = std::map<uint64_t, uint64_t>; // start → bytes
  Ranges free_;
  std::vector<Ranges::node_type> spares_; // at least one for each range that is taken
  size_t taken_ = 0;
};

} // namespace heddle::hal

#endif // HEDDLE_RUNTIME_HAL_RANGEALLOCATOR_H
