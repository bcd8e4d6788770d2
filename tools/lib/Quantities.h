// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes and times for people.
#ifndef HEDDLE_TOOLS_LIB_QUANTITIES_H
#define HEDDLE_TOOLS_LIB_QUANTITIES_H

#include <cstdint>
#include <string>

namespace heddle::tools {

// "12 B", "1.5 KiB", "3.2 MiB", "1.0 GiB"
std::string formatBytes(uint64_t bytes);

// "85 ns", "1.25 µs", "12.5 ms", "1.20 s": three digits
std::string formatDuration(double nanoseconds);

// "1 call", "2 calls"
std::string formatCount(uint64_t count, const std::string &noun);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_LIB_QUANTITIES_H
