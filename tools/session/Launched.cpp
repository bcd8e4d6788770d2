// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/session/Launched.h"

#include "runtime/base/LaunchedRank.h"
#include "tools/lib/Error.h"

namespace heddle::tools {

std::optional<LaunchedProcess> launchedProcess() {
  StatusOr<std::optional<LaunchedRank>> rank = launchedRank();
  if (!rank.ok())
    throw Failure(rank.status().text());
  if (!rank->has_value())
    return std::nullopt;
  return LaunchedProcess{(*rank)->rank, (*rank)->size, (*rank)->localRank, (*rank)->localSize};
}

} // namespace heddle::tools
