// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function for several executable targets as the one for one of them.
#ifndef HEDDLE_COMPILER_DIALECT_ENCODING_TRANSFORMS_SELECTTARGET_H
#define HEDDLE_COMPILER_DIALECT_ENCODING_TRANSFORMS_SELECTTARGET_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::heddle::encoding {

// Every #encoding.by_target becomes the layout of `target`, nothing where that is the identity; an `encoding.set` or
// `unset` between types that are then equal is its operand. Fails with a diagnostic where a layout for the target is
// missing.
//
//   selectTarget(kernel, program.getTarget());
LogicalResult selectTarget(func::FuncOp function, Attribute target);

} // namespace mlir::heddle::encoding

#endif // HEDDLE_COMPILER_DIALECT_ENCODING_TRANSFORMS_SELECTTARGET_H
