// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Remembers the last plans of one `plan` instruction by their sizes.
#ifndef HEDDLE_RUNTIME_EXECUTOR_CALL_PLANMEMO_H
#define HEDDLE_RUNTIME_EXECUTOR_CALL_PLANMEMO_H

#include "heddle/contract/Artifact_generated.h"

#include <span>

namespace heddle {

class PlanMemo {
public:
  static constexpr uint32_t kEntries = 4;
  explicit PlanMemo(const fb::PlanSpec &spec);
  // Offsets for the sizes; total < 0: the sizes are negative or overflow. `missed` counts computed plans.
  std::span<const int64_t> find(std::span<const int64_t> sizes, int64_t &total, uint64_t &missed);
  std::span<int64_t> sizes() { return wanted_; } // where to put the sizes to look for

private:
  struct Entry {
    std::vector<int64_t> sizes, offsets;
    int64_t total = -1;
    bool used = false;
  };
  const fb::PlanSpec &spec_;
  std::vector<int64_t> wanted_;
  Entry entries_[kEntries];
  uint32_t last_ = 0;
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_CALL_PLANMEMO_H
