// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a dispatch on the stream of collectives says of the ranks that meet in it: the first constants of the dispatch.
// Who does the collective knows all that anyway; this is for who keeps a time of its own.
#ifndef HEDDLE_RUNTIME_HAL_MEETING_H
#define HEDDLE_RUNTIME_HAL_MEETING_H

#include "runtime/hal/Commands.h"

#include <optional>

namespace heddle::hal {

struct Meeting {
  static constexpr size_t kConstants = 5;
  int64_t group = 0; // equal on all members, different for all other groups of the process
  int64_t rank = 0;  // in the world
  int64_t members = 0;
  int64_t kind = 0;  // contract::CollectiveKind
  int64_t bytes = 0; // of a piece

  void put(int64_t *constants) const {
    const int64_t values[kConstants] = {group, rank, members, kind, bytes};
    std::copy(values, values + kConstants, constants);
  }
  // Nothing for a dispatch in which nobody meets.
  static std::optional<Meeting> of(const Dispatch &dispatch) {
    std::span<const int64_t> c = dispatch.constants;
    if (dispatch.workgroups < 0 || c.size() < kConstants || c[2] < 1)
      return std::nullopt;
    return Meeting{c[0], c[1], c[2], c[3], c[4]};
  }
};

} // namespace heddle::hal

#endif // HEDDLE_RUNTIME_HAL_MEETING_H
