// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What MLIR's own parser expects of its input and does not check.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_LISTSYNTAX_H
#define HEDDLE_COMPILER_STAGES_IMPORT_LISTSYNTAX_H

#include "mlir/Support/LLVM.h"

#include <optional>

namespace mlir::heddle {

// Where in a module's text a list of integers is malformed that linalg.transpose, linalg.broadcast or linalg.reduce
// reads behind `permutation =` or `dimensions =`: MLIR 22 crashes there instead of reporting it. Nothing for texts it
// can read; attributes in braces are of no concern.
std::optional<size_t> findMalformedList(StringRef text);

// Where in a module's text brackets, or signs before a number, nest deeper than MLIR's parser, which recurses, has
// stack for (a thousand).
std::optional<size_t> findDeepNesting(StringRef text);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_IMPORT_LISTSYNTAX_H
