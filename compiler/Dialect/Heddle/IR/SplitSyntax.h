// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the values of `heddle.split` look like; what they mean: SplitRequest.h.
#ifndef HEDDLE_COMPILER_DIALECT_HEDDLE_IR_SPLITSYNTAX_H
#define HEDDLE_COMPILER_DIALECT_HEDDLE_IR_SPLITSYNTAX_H

#include "mlir/IR/BuiltinAttributes.h"

#include <string>

namespace mlir::heddle::split_keys {

// Of a dictionary.
inline constexpr llvm::StringLiteral kParts = "parts", kPerUnit = "per_unit", kSize = "size", kLoop = "loop",
                                     kBy = "by";

} // namespace mlir::heddle::split_keys

namespace mlir::heddle {

// "", or what is wrong with the value of a `heddle.split`: a clause behind the attribute's name.
std::string explainInvalidSplit(Attribute value);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_DIALECT_HEDDLE_IR_SPLITSYNTAX_H
