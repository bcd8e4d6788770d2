// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What memory a tensor with a layout takes.
#ifndef HEDDLE_COMPILER_DIALECT_ENCODING_IR_STORAGESIZE_H
#define HEDDLE_COMPILER_DIALECT_ENCODING_IR_STORAGESIZE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::heddle::encoding {

// The bytes of a tensor with a layout, or of a plain one, as index arithmetic at the builder's insertion point; `sizes`
// are all those of the tensor. Equal layouts and sizes give the same ops in the same order. Padding counts.
//
//   Value bytes = encoding::storageSize(builder, loc, type, dims);
Value storageSize(OpBuilder &builder, Location location, RankedTensorType type, ValueRange sizes);

} // namespace mlir::heddle::encoding

#endif // HEDDLE_COMPILER_DIALECT_ENCODING_IR_STORAGESIZE_H
