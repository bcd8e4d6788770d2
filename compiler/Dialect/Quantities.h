// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantities in messages and flags.
#ifndef HEDDLE_COMPILER_DIALECT_QUANTITIES_H
#define HEDDLE_COMPILER_DIALECT_QUANTITIES_H

#include "heddle/contract/Quantities.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace mlir::heddle {

using ::heddle::contract::formatBytes;
using ::heddle::contract::formatCount;

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

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_DIALECT_QUANTITIES_H
