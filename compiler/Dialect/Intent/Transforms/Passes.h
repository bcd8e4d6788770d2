// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops of intent in loops; see Passes.td.
#ifndef HEDDLE_COMPILER_DIALECT_INTENT_TRANSFORMS_PASSES_H
#define HEDDLE_COMPILER_DIALECT_INTENT_TRANSFORMS_PASSES_H

#include "compiler/Dialect/Intent/IR/IntentOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::heddle {

#define GEN_PASS_DECL
#include "compiler/Dialect/Intent/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "compiler/Dialect/Intent/Transforms/Passes.h.inc"

namespace intent {

// Replaces each op of the dialect by the structured ops that it stands for, which have its discardable attributes; sums
// carry `intent.code`.
void decompose(ModuleOp module);

} // namespace intent

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_DIALECT_INTENT_TRANSFORMS_PASSES_H
