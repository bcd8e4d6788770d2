// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names among DeviceInfo::limits of what a device states of its links to those of other ranks; one that states nothing
// is measured when a program asks (executor/load/Overlaps.h).
#ifndef HEDDLE_RUNTIME_MATCH_LINKLIMITS_H
#define HEDDLE_RUNTIME_MATCH_LINKLIMITS_H

namespace heddle {

inline constexpr const char *kLinkRateLimit = "linkBytesPerSecond";
inline constexpr const char *kLinkDelayLimit = "linkDelayPicoseconds"; // of each step

} // namespace heddle

#endif // HEDDLE_RUNTIME_MATCH_LINKLIMITS_H
