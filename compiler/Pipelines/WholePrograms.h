// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is done to modules with whole programs before their shardings are propagated.
#ifndef HEDDLE_COMPILER_PIPELINES_WHOLEPROGRAMS_H
#define HEDDLE_COMPILER_PIPELINES_WHOLEPROGRAMS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace mlir::heddle {

// A pass that leaves modules without whole programs as they are. In others batched products get the dimensions that
// their operands had before a reshape (encode-expand-batches): heads that were collapsed with a batch could not be cut.
// `all`: any program may become one.
std::unique_ptr<Pass> createPrepareWholePrograms(bool all);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_PIPELINES_WHOLEPROGRAMS_H
