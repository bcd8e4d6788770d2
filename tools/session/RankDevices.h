// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which devices each rank of a process, or of a machine, gets. Pure but for localCores().
#ifndef HEDDLE_TOOLS_SESSION_RANKDEVICES_H
#define HEDDLE_TOOLS_SESSION_RANKDEVICES_H

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace heddle::tools {

// One rank among those that share devices.
struct RankPosition {
  uint32_t index = 0, count = 1;
};

// `devices` dealt out in turn: a rank gets the next `perRank` of them (all, where there are no more), and begins anew
// behind the last one. Of `local` without cores of its own each rank gets an equal part of `cores`, one core where
// there are fewer cores than ranks; with one rank everything stays as it is.
std::vector<std::string> devicesOfRank(std::span<const std::string> devices, uint32_t perRank, RankPosition rank,
                                       std::span<const uint32_t> cores);

// The cores that this process may use, in ascending order.
std::vector<uint32_t> localCores();
// Whether it may use all that the machine has: its launcher has not given it some of its own.
bool hasAllCores();

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_SESSION_RANKDEVICES_H
