// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// runtime/base/LaunchedRank.h for sources that include the public C++ header, whose names are those of runtime/base.
#ifndef HEDDLE_TOOLS_SESSION_LAUNCHED_H
#define HEDDLE_TOOLS_SESSION_LAUNCHED_H

#include <cstdint>
#include <optional>

namespace heddle::tools {

struct LaunchedProcess {
  uint32_t rank = 0, size = 1, localRank = 0, localSize = 1;
};

// Nothing: no launcher started this process. Throws Failure for variables that make no sense.
std::optional<LaunchedProcess> launchedProcess();

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_SESSION_LAUNCHED_H
