// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantities in messages, spelt as the tools do (tools/lib/Quantities.h).
#ifndef HEDDLE_COMPILER_DIALECT_QUANTITIES_H
#define HEDDLE_COMPILER_DIALECT_QUANTITIES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"

#include <optional>
#include <string>

namespace mlir::heddle {

// "512 B", "16.0 KiB", "1.5 MiB", "2.0 GiB".
inline std::string formatBytes(uint64_t bytes) {
  if (bytes < 1024)
    return std::to_string(bytes) + " B";
  const char *const units[] = {"KiB", "MiB", "GiB"};
  double value = bytes / 1024.0;
  unsigned unit = 0;
  for (; unit < 2 && value >= 1024; ++unit)
    value /= 1024;
  return llvm::formatv("{0:f1} {1}", value, units[unit]);
}

// 4096, 512MiB, 1.5GiB, 2TiB, and with powers of 1000 as 2GB; none for anything else, or 2^63 bytes and more.
inline std::optional<int64_t> parseBytes(llvm::StringRef text) {
  double unit = 1;
  bool binary = text.consume_back("iB");
  if (binary || text.consume_back("B")) {
    size_t power = text.empty() ? 0 : llvm::StringRef(" KMGT").find(text.back());
    if (power == 0 || power == llvm::StringRef::npos)
      return std::nullopt;
    for (text = text.drop_back(); power > 0; --power)
      unit *= binary ? 1024 : 1000;
  }
  double number = 0;
  if (text.empty() || text.back() < '0' || text.back() > '9' ||
      text.find_first_not_of("0123456789.eE+-") != llvm::StringRef::npos || text.getAsDouble(number))
    return std::nullopt;
  number *= unit;
  if (!(number >= 1 && number < 9.2e18))
    return std::nullopt;
  return static_cast<int64_t>(number);
}

// "1 op", "2 ops", "0 dispatches".
inline std::string formatCount(uint64_t count, llvm::StringRef noun) {
  return llvm::formatv("{0} {1}{2}", count, noun, count == 1 ? "" : noun.ends_with("ch") ? "es" : "s");
}

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_DIALECT_QUANTITIES_H
