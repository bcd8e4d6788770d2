// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A figure of a device that its code generation counts on, for scripts that choose by it (Stages/Split/SplitScript.td).
#ifndef HEDDLE_COMPILER_TARGET_FORMS_TARGETFACT_H
#define HEDDLE_COMPILER_TARGET_FORMS_TARGETFACT_H

#include <cstdint>
#include <string>

namespace mlir::heddle {

struct TargetFact {
  std::string name; // "second_level_bytes"
  int64_t value;
};

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_TARGET_FORMS_TARGETFACT_H
