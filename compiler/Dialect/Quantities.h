// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantities in messages, spelt as the tools do (tools/lib/Quantities.h).
#ifndef HEDDLE_COMPILER_DIALECT_QUANTITIES_H
#define HEDDLE_COMPILER_DIALECT_QUANTITIES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"

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

// "1 op", "2 ops", "0 dispatches".
inline std::string formatCount(uint64_t count, llvm::StringRef noun) {
  return llvm::formatv("{0} {1}{2}", count, noun, count == 1 ? "" : noun.ends_with("ch") ? "es" : "s");
}

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_DIALECT_QUANTITIES_H
