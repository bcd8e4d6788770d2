// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The timelines of a program's ranks as one, and what it says of their collectives. Pure.
#ifndef HEDDLE_TOOLS_TRACE_RANKTIMELINES_H
#define HEDDLE_TOOLS_TRACE_RANKTIMELINES_H

#include "tools/trace/Timeline.h"

#include <string>
#include <vector>

namespace heddle::tools {

// A timeline on its way to the process of rank 0, and back. decodeTimeline() takes what encodeTimeline() of the same
// version gave.
std::string encodeTimeline(const Timeline &timeline);
Timeline decodeTimeline(const std::string &text);

// One timeline with the lanes of all ranks, in their order. `clockOffsets`: by rank, how much its clock is ahead of
// that of rank 0. A call lasts from where the first rank begins it to where the last one ends it. Times are as they
// were (normalize() comes after). One rank stays as it is.
Timeline mergeRanks(std::vector<Timeline> ranks, const std::vector<int64_t> &clockOffsets);

// All collectives of one name among equally many ranks. Sums over slices, of which each rank has one for each.
struct CollectiveTotal {
  std::string name;
  uint32_t groupSize = 0;
  uint64_t count = 0, slices = 0;
  uint64_t bytes = 0;    // given and got
  uint64_t ns = 0;       // from the rank's arrival to its end
  uint64_t waitNs = 0;   // of it until the last rank of the group arrived
  uint64_t hiddenNs = 0; // of it while a dispatch ran on a device of the same rank
};

// Those that took longest first.
std::vector<CollectiveTotal> summarizeCollectives(const Timeline &timeline);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_TRACE_RANKTIMELINES_H
