// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluates scalar ops by their folders.
#ifndef HEDDLE_COMPILER_DIALECT_HOST_INTERPRETER_FOLD_H
#define HEDDLE_COMPILER_DIALECT_HOST_INTERPRETER_FOLD_H

#include "mlir/IR/Operation.h"

namespace mlir::heddle::host {

// The results of an op whose operands have the given constant values; fails where its folder cannot tell.
FailureOr<SmallVector<Attribute>> fold(Operation *op, ArrayRef<Attribute> operands);

} // namespace mlir::heddle::host

#endif // HEDDLE_COMPILER_DIALECT_HOST_INTERPRETER_FOLD_H
