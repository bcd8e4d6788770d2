// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on scalars of type index, folded where it can be.
//
//   IndexArithmetic index(builder, loc);
//   Value blocks = index.ceilDiv(index.mul(rows, columns), 64);   // a constant where rows and columns are
#ifndef HEDDLE_COMPILER_CODEGEN_EMIT_INDEXARITHMETIC_H
#define HEDDLE_COMPILER_CODEGEN_EMIT_INDEXARITHMETIC_H

#include "mlir/IR/Builders.h"

namespace mlir::heddle::codegen {

class IndexArithmetic {
public:
  IndexArithmetic(OpBuilder builder, Location loc) : builder(builder), loc(loc) {}

  Value constant(int64_t value);
  Value add(Value a, Value b);
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  Value min(Value a, Value b);
  Value max(Value a, Value b);
  // Of values that are not negative; `b` at least 1.
  Value divide(Value a, Value b);
  Value ceilDiv(Value a, int64_t b);
  Value product(ValueRange values);
  Value isAtMost(Value a, int64_t b);
  Value select(Value condition, Value a, Value b);

  // Where values are made.
  OpBuilder &getBuilder() { return builder; }

protected:
  OpBuilder builder;
  Location loc;
};

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_EMIT_INDEXARITHMETIC_H
