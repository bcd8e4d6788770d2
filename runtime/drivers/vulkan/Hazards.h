// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which commands of a queue need a barrier in front of them: a pure rule over what each accesses.
//
// A barrier orders all that comes after it behind all that came before, so only accesses since the last one count. A
// command needs one when some of its bytes were accessed since then and either side writes them, when too much has
// gathered to look through, and when it is the first of all: work handed over before may still run.
//
//   Hazards hazards;
//   if (hazards.add(accesses))
//     vkCmdPipelineBarrier(…);
#ifndef HEDDLE_RUNTIME_DRIVERS_VULKAN_HAZARDS_H
#define HEDDLE_RUNTIME_DRIVERS_VULKAN_HAZARDS_H

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace heddle::vulkan {

struct MemoryAccess {
  const void *buffer = nullptr; // its handle
  uint64_t begin = 0, end = 0;  // bytes
  bool writes = false;
};

class Hazards {
public:
  static constexpr size_t kMost = 64;

  // Whether the next command needs a barrier before it; takes the barrier for granted then.
  bool add(std::span<const MemoryAccess> next) {
    bool needed = !started_ || since_.size() + next.size() > kMost ||
                  std::any_of(next.begin(), next.end(), [&](const auto &access) {
                    return std::any_of(since_.begin(), since_.end(),
                                       [&](const auto &before) { return conflict(before, access); });
                  });
    if (needed)
      since_.clear();
    started_ = true;
    since_.insert(since_.end(), next.begin(), next.end());
    return needed;
  }
  // As new: the next command is the first.
  void clear() {
    since_.clear();
    started_ = false;
  }

private:
  static bool conflict(const MemoryAccess &a, const MemoryAccess &b) {
    return (a.writes || b.writes) && a.buffer == b.buffer && a.begin < b.end && b.begin < a.end;
  }

  std::vector<MemoryAccess> since_;
  bool started_ = false;
};

} // namespace heddle::vulkan

#endif // HEDDLE_RUNTIME_DRIVERS_VULKAN_HAZARDS_H
