// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `--state=INPUT=OUTPUT` and `--donate=INPUT[=OUTPUT]`: which outputs of a model lie in the memory of an input.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ANNOTATIONS_KEPTMEMORY_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ANNOTATIONS_KEPTMEMORY_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace mlir::heddle {

// What the stars of `pattern` stand for in `name`, the shortest texts first; nothing if it does not match.
std::optional<SmallVector<StringRef>> matchStars(StringRef pattern, StringRef name);

// The pattern with the texts in place of its stars.
std::string fillStars(StringRef pattern, ArrayRef<StringRef> texts);

// The flags' pairs, before anything is checked against a model (BindState does that).
struct KeptMemory {
  enum class Kind { None, State, Donated };

  std::vector<std::string> states, donations;

  // Whether the output is what the next call finds in the input, or lies in memory that the caller gives with it. A
  // donation that names no output counts for any.
  Kind find(StringRef input, StringRef output) const;
};

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ANNOTATIONS_KEPTMEMORY_H
