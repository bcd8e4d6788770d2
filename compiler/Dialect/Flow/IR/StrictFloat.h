// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_IR_STRICTFLOAT_H
#define HEDDLE_COMPILER_DIALECT_FLOW_IR_STRICTFLOAT_H

#include "llvm/ADT/StringRef.h"

namespace mlir::heddle::flow {

// On the module (--strict-float): products are summed in the order in which the program has them, in no blocks.
inline constexpr llvm::StringLiteral kStrictFloatAttr = "flow.strict_float";

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_IR_STRICTFLOAT_H
