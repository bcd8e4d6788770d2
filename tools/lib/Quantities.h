// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes and times for people.
#ifndef HEDDLE_TOOLS_LIB_QUANTITIES_H
#define HEDDLE_TOOLS_LIB_QUANTITIES_H

#include "heddle/contract/Quantities.h"

#include <string>

namespace heddle::tools {

using contract::formatBytes;
using contract::formatCount;

// "85 ns", "1.25 µs", "12.5 ms", "1.20 s": three digits
std::string formatDuration(double nanoseconds);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_LIB_QUANTITIES_H
