// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scalars of a host program that is being built: what those of the source became, and sizes computed from them.
// Owns the builder, so that all who build one program insert at one place; `loc` is that of the op that is being built.
#ifndef HEDDLE_COMPILER_STAGES_SCHEDULE_PROGRAM_HOSTSCALARS_H
#define HEDDLE_COMPILER_STAGES_SCHEDULE_PROGRAM_HOSTSCALARS_H

#include "compiler/Dialect/Host/IR/HostOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::heddle {

class HostScalars {
public:
  HostScalars(MLIRContext *context, Location loc) : builder(context), loc(loc) {}

  // From here on `made` stands for `source`.
  void map(Value source, Value made) { values.map(source, made); }
  // What a scalar of the source became; itself where it became nothing else.
  Value of(Value source) { return values.lookupOrDefault(source); }
  // An op of scalars, as it is.
  void clone(Operation &op) { builder.clone(op, values); }

  Value constant(int64_t value);
  // All dimensions of a type whose dynamic ones are given.
  SmallVector<Value> dimsOf(RankedTensorType type, ValueRange dynamic);
  // Each as a value, constants made.
  SmallVector<Value> sizesOf(ArrayRef<OpFoldResult> sizes);
  // Constants in one factor, so that equal dynamic factors give equal values. Of sizes: a product that 64 bits do not
  // hold is no size (FunctionFlattener), and memory for it is refused.
  Value product(ArrayRef<Value> factors);
  // Of a tensor as it lies in memory.
  Value byteSize(RankedTensorType type, ArrayRef<Value> dims);
  // Bytes of one element, as the artifact stores it.
  static int64_t elementBytes(Type type);

  OpBuilder builder;
  Location loc;

private:
  IRMapping values;
};

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_SCHEDULE_PROGRAM_HOSTSCALARS_H
