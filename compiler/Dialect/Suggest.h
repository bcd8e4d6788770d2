// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names in error messages: what exists, and what was probably meant.
#ifndef HEDDLE_COMPILER_DIALECT_SUGGEST_H
#define HEDDLE_COMPILER_DIALECT_SUGGEST_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace mlir::heddle {

// "; did you mean 'NAME'?", or "" when nothing is near. `names` is a range of what converts to a StringRef.
template <typename Names> std::string didYouMean(llvm::StringRef got, const Names &names) {
  llvm::StringRef best;
  unsigned distance = std::min<unsigned>(4, got.size());
  for (llvm::StringRef name : names)
    if (unsigned d = got.edit_distance(name, true, distance); d < distance) {
      distance = d;
      best = name;
    }
  return best.empty() ? "" : ("; did you mean '" + best + "'?").str();
}

// "a, b, c"; "none" for an empty list; after 20 names "… (12 more)".
inline std::string listNames(llvm::ArrayRef<std::string> names) {
  constexpr size_t kLimit = 20;
  std::string text = names.empty() ? "none" : llvm::join(names.take_front(kLimit), ", ");
  return names.size() <= kLimit ? text : text + ", … (" + std::to_string(names.size() - kLimit) + " more)";
}

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_DIALECT_SUGGEST_H
