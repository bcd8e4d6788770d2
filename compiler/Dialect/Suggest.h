// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names in error messages: what exists, and what was probably meant.
#ifndef HEDDLE_COMPILER_DIALECT_SUGGEST_H
#define HEDDLE_COMPILER_DIALECT_SUGGEST_H

#include "heddle/contract/Suggest.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"

#include <string>

namespace mlir::heddle {

using ::heddle::contract::didYouMean;

// "a, b, c"; "none" for an empty list; after 20 names "… (12 more)".
inline std::string listNames(llvm::ArrayRef<std::string> names) {
  constexpr size_t kLimit = 20;
  std::string text = names.empty() ? "none" : llvm::join(names.take_front(kLimit), ", ");
  return names.size() <= kLimit ? text : text + ", … (" + std::to_string(names.size() - kLimit) + " more)";
}

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_DIALECT_SUGGEST_H
