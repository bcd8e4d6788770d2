// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far the clocks of ranks on several machines are apart. Each rank reads its clock when it leaves each of some
// barriers; all leave one at about the same time, some microseconds of the network apart.
#ifndef HEDDLE_TOOLS_TRACE_RANKCLOCKS_H
#define HEDDLE_TOOLS_TRACE_RANKCLOCKS_H

#include <cstdint>
#include <vector>

namespace heddle::tools {

struct ClockSamples {
  static constexpr int kBarriers = 15;
  uint64_t machine = 0;           // equal numbers share a clock
  int64_t leftNs[kBarriers] = {}; // CLOCK_MONOTONIC
};

// By rank, how much its clock is ahead of rank 0's: 0 on the same machine, else the median of the differences at each
// barrier. Pure.
std::vector<int64_t> clockOffsets(const std::vector<ClockSamples> &ranks);

// A number of the running system on this machine; another one after a restart.
uint64_t thisMachine();

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_TRACE_RANKCLOCKS_H
