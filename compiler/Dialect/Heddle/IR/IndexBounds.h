// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments that are indices: how far their elements may go.
#ifndef HEDDLE_COMPILER_DIALECT_HEDDLE_IR_INDEXBOUNDS_H
#define HEDDLE_COMPILER_DIALECT_HEDDLE_IR_INDEXBOUNDS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::heddle {

// On an argument while a program is imported: it holds indices, all below this (an i64). For who makes up inputs: the
// artifact's report has it as `index_bounds`.
inline constexpr llvm::StringLiteral kIndexBoundAttr = "heddle.index_bound";

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_DIALECT_HEDDLE_IR_INDEXBOUNDS_H
