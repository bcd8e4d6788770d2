// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/JsonText.h"

#include <cstdint>
#include <cstdio>

namespace heddle {
namespace {

// Bytes of the UTF-8 character that the text begins with; 0 where it begins with none.
size_t characterBytes(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  uint8_t lead = byte(0);
  size_t bytes = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  if (bytes > text.size())
    return 0;
  for (size_t i = 1; i < bytes; ++i)
    if ((byte(i) & 0xc0) != 0x80)
      return 0;
  // Overlong forms, surrogates, beyond the last one.
  bool bad = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) > 0x9f) || (lead == 0xf0 && byte(1) < 0x90) ||
             (lead == 0xf4 && byte(1) > 0x8f);
  return bad ? 0 : bytes;
}

} // namespace

std::string jsonText(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    size_t bytes = characterBytes(text);
    uint8_t first = static_cast<uint8_t>(text[0]);
    if (bytes == 0) {
      out += "\\ufffd";
    } else if (first < 0x20 || first == 0x7f) {
      char code[8];
      std::snprintf(code, sizeof(code), "\\u%04x", first);
      out += code;
    } else {
      if (first == '"' || first == '\\')
        out += '\\';
      out += text.substr(0, bytes);
    }
    text.remove_prefix(bytes ? bytes : 1);
  }
  return out + "\"";
}

} // namespace heddle
