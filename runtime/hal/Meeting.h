// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a dispatch on the stream of collectives says of the ranks that meet in it: the first constants of the dispatch.
// Who does the collective knows all that anyway; this is for who keeps a time of its own.
#ifndef HEDDLE_RUNTIME_HAL_MEETING_H
#define HEDDLE_RUNTIME_HAL_MEETING_H

#include "runtime/hal/Commands.h"

#include <optional>

namespace heddle::hal {

struct Meeting {
  static constexpr size_t kConstants = 7, kBegin = 5, kEnd = 6;
  int64_t group = 0; // equal on all members, different for all other groups of the process
  int64_t rank = 0;  // in the world
  int64_t members = 0;
  int64_t kind = 0;  // contract::CollectiveKind
  int64_t bytes = 0; // of a piece
  // Where the times of this rank's arrival and of its end are written, by who does the meeting or keeps its time; null:
  // nowhere. Whoever wants to know puts the addresses into the constants kBegin and kEnd.
  uint64_t *beginNs = nullptr, *endNs = nullptr;

  void put(int64_t *constants) const {
    const int64_t values[kConstants] = {group, rank, members, kind, bytes, addressOf(beginNs), addressOf(endNs)};
    std::copy(values, values + kConstants, constants);
  }
  // Whether the dispatch has these constants.
  static bool isIn(const Dispatch &dispatch) {
    return !dispatch.kernel && dispatch.workgroups >= 0 && dispatch.constants.size() >= kConstants;
  }
  // Nothing for a dispatch in which nobody meets.
  static std::optional<Meeting> of(const Dispatch &dispatch) {
    std::span<const int64_t> c = dispatch.constants;
    if (!isIn(dispatch) || c[2] < 1)
      return std::nullopt;
    return Meeting{c[0], c[1], c[2], c[3], c[4], placeOf(c[kBegin]), placeOf(c[kEnd])};
  }
  static int64_t addressOf(uint64_t *place) { return static_cast<int64_t>(reinterpret_cast<intptr_t>(place)); }
  static uint64_t *placeOf(int64_t address) { return reinterpret_cast<uint64_t *>(static_cast<intptr_t>(address)); }
};

} // namespace heddle::hal

#endif // HEDDLE_RUNTIME_HAL_MEETING_H
