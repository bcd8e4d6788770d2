// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// New encodings for the values of a function.
#ifndef HEDDLE_COMPILER_DIALECT_ENCODING_TRANSFORMS_RETYPE_H
#define HEDDLE_COMPILER_DIALECT_ENCODING_TRANSFORMS_RETYPE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::heddle::encoding {

// Gives every encoded result and block argument in `function` the type that `convert` answers for it, asked at the op
// that defines it or holds its block; constants and the function's own type follow. An `encoding.set` or `unset`
// between types that are then equal is its operand. Fails, with a diagnostic of `convert`'s, where that does.
//
//   retype(kernel, [&](Value value, Operation *op) { return layouts.convert(value.getType(), device, op); });
LogicalResult retype(func::FuncOp function, function_ref<FailureOr<Type>(Value, Operation *)> convert);

} // namespace mlir::heddle::encoding

#endif // HEDDLE_COMPILER_DIALECT_ENCODING_TRANSFORMS_RETYPE_H
