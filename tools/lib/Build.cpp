// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/lib/Build.h"

std::string heddle::tools::buildText() {
  std::string build = HEDDLE_BUILD;
  return "heddle " HEDDLE_VERSION + (build.empty() ? "" : " (" + build + ")");
}
