// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The attributes that make arguments and results of entry points state, donated (docs/design/state.md), or defaults.
#ifndef HEDDLE_COMPILER_DIALECT_HEDDLE_IR_STATE_H
#define HEDDLE_COMPILER_DIALECT_HEDDLE_IR_STATE_H

#include "llvm/ADT/StringRef.h"

namespace mlir::heddle {

// On an argument and a result: the flow.global whose value it is when the call begins, and ends.
inline constexpr llvm::StringLiteral kStateAttr = "heddle.state";
// On an argument: the caller gives its memory away; the result of this index lies in it. A unit, or a result's name,
// until import has chosen the result.
inline constexpr llvm::StringLiteral kDonatedAttr = "heddle.donated";
// Of an argument of fixed sizes: its value where the caller leaves it out (dense elements of its shape).
inline constexpr llvm::StringLiteral kDefaultAttr = "heddle.default";

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_DIALECT_HEDDLE_IR_STATE_H
