// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of texts in messages: a character of UTF-8 is never cut.
#ifndef HEDDLE_TOOLS_LIB_CHARACTERS_H
#define HEDDLE_TOOLS_LIB_CHARACTERS_H

#include <algorithm>
#include <string_view>

namespace heddle::tools {

// The whole characters of the first `most` bytes; at least one character where there is one.
inline std::string_view beginningOf(std::string_view text, size_t most) {
  auto continues = [&](size_t at) { return at < text.size() && (text[at] & 0xc0) == 0x80; };
  size_t end = std::min(most, text.size());
  while (end > 0 && continues(end))
    --end;
  if (end == 0 && !text.empty())
    for (end = 1; continues(end) && end < 4;)
      ++end;
  return text.substr(0, end);
}

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_LIB_CHARACTERS_H
