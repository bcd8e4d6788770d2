// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MLIR element types as the contract's: what a buffer of a tensor type holds.
#ifndef HEDDLE_COMPILER_DIALECT_HOST_IR_ELEMENTTYPES_H
#define HEDDLE_COMPILER_DIALECT_HOST_IR_ELEMENTTYPES_H

#include "heddle/contract/ElementType.h"

#include "mlir/IR/BuiltinTypes.h"

namespace mlir::heddle::host {

// The contract's element type; None for a type that the boundary does not know. `index` lies in memory as i64.
::heddle::contract::ElementType getElementType(Type type);

} // namespace mlir::heddle::host

#endif // HEDDLE_COMPILER_DIALECT_HOST_IR_ELEMENTTYPES_H
