// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When a module is verified: after each pass where asserts are on, and in heddle-opt; else once a stage, with import as
// one. After each pass it took a fifth of a large model's compilation, and ops of a kernel are verified on other
// threads, for which the threads that compile kernels waited.
#ifndef HEDDLE_COMPILER_DIALECT_VERIFICATION_H
#define HEDDLE_COMPILER_DIALECT_VERIFICATION_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

namespace mlir::heddle {

// Runs the passes of one stage.
inline LogicalResult runVerified(PassManager &pm, ModuleOp module) {
#ifdef NDEBUG
  pm.enableVerifier(false);
  return success(succeeded(pm.run(module)) && succeeded(verify(module)));
#else
  return pm.run(module);
#endif
}

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_DIALECT_VERIFICATION_H
