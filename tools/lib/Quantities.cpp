// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/lib/Quantities.h"

#include <cstdio>

namespace heddle::tools {

std::string formatDuration(double nanoseconds) {
  if (nanoseconds < 1000)
    return std::to_string(static_cast<int64_t>(nanoseconds + 0.5)) + " ns";
  const char *const units[] = {"µs", "ms", "s"};
  double value = nanoseconds / 1000;
  int unit = 0;
  for (; unit < 2 && value >= 1000; ++unit)
    value /= 1000;
  char text[32];
  std::snprintf(text, sizeof(text), "%.*f %s", value < 10 ? 2 : value < 100 ? 1 : 0, value, units[unit]);
  return text;
}

} // namespace heddle::tools
