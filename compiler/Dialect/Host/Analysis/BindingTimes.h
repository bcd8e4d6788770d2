// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When each value of a host program becomes known: while compiling, when the artifact is bound to devices, when it is
// called, or only from data that a device computed (design page: docs/design/binding-times.md).
#ifndef HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_BINDINGTIMES_H
#define HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_BINDINGTIMES_H

#include "compiler/Dialect/Host/IR/HostOps.h"

namespace mlir::heddle::host {

StringRef stringify(BindingTime time);

// The binding times of one function's values; a snapshot, not updated when the IR changes.
class BindingTimes {
public:
  explicit BindingTimes(FuncOp func);

  BindingTime of(Value value) const;
  // Of an op: the latest of its results and of the sizes, offsets and scalars it takes.
  BindingTime of(Operation *op) const;

private:
  bool visit(Operation *op);
  bool visitControlFlow(Operation *op);
  bool raise(Value value, BindingTime time);
  BindingTime latest(ValueRange values) const;

  llvm::DenseMap<Value, BindingTime> times; // absent: Compile
};

} // namespace mlir::heddle::host

#endif // HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_BINDINGTIMES_H
