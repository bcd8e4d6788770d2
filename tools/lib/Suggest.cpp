// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/lib/Suggest.h"

namespace heddle::tools {

std::string quotedList(std::span<const std::string> names, size_t limit) {
  if (names.empty())
    return "none";
  std::string out;
  for (size_t i = 0; i < names.size() && i < limit; ++i)
    out += (i ? ", '" : "'") + names[i] + "'";
  if (names.size() > limit)
    out += ", … (" + std::to_string(names.size() - limit) + " more)";
  return out;
}

} // namespace heddle::tools
