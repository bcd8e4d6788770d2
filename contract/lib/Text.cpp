// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heddle/contract/Text.h"

#include <cstdio>

namespace heddle::contract {
namespace {

// One letter, or one byte of what is none.
struct Letter {
  uint32_t code = 0;
  uint32_t bytes = 1;
  bool valid = false;
};

// The letter that the text begins with; no overlong forms, no surrogates.
Letter decode(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  uint8_t first = byte(0);
  if (first < 0x80)
    return {first, 1, true};
  uint32_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || bytes > text.size())
    return {first, 1, false};
  uint32_t code = first & (0xffu >> (bytes + 1));
  for (uint32_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80)
      return {first, 1, false};
    code = code << 6 | (byte(i) & 0x3f);
  }
  static constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  bool valid = code >= kLeast[bytes] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return valid ? Letter{code, bytes, true} : Letter{first, 1, false};
}

bool isHidden(uint32_t code) {
  return (code >= 0x80 && code < 0xa0) || code == 0x61c || code == 0x200e || code == 0x200f ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

} // namespace

std::string showText(std::string_view text, Lines lines) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    Letter letter = decode(text.substr(at));
    char escaped[16];
    bool stays = lines == Lines::Many && (letter.code == '\n' || letter.code == '\t');
    if (letter.valid && letter.code == '\n' && !stays) {
      out += "\\n";
    } else if (!letter.valid || (letter.code < 0x20 && !stays) || letter.code == 0x7f) {
      std::snprintf(escaped, sizeof(escaped), "\\x%02x", letter.code);
      out += escaped;
    } else if (isHidden(letter.code)) {
      std::snprintf(escaped, sizeof(escaped), "\\u{%x}", letter.code);
      out += escaped;
    } else {
      out += text.substr(at, letter.bytes);
    }
    at += letter.bytes;
  }
  return out;
}

} // namespace heddle::contract
