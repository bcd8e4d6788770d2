// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes and counts for people: one spelling in all messages.
#ifndef HEDDLE_CONTRACT_QUANTITIES_H
#define HEDDLE_CONTRACT_QUANTITIES_H

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace heddle::contract {

// "12 B", "1.5 KiB", "3.2 MiB", "1.0 GiB", "2.0 TiB".
inline std::string formatBytes(uint64_t bytes) {
  if (bytes < 1024)
    return std::to_string(bytes) + " B";
  const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes) / 1024;
  int unit = 0;
  for (; unit < 3 && value >= 1023.95; ++unit) // which "%.1f" writes as 1024.0
    value /= 1024;
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f %s", value, units[unit]);
  return text;
}

// "1 op", "2 ops", "0 dispatches".
inline std::string formatCount(uint64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : noun.ends_with("ch") ? "es" : "s");
}

} // namespace heddle::contract

#endif // HEDDLE_CONTRACT_QUANTITIES_H
