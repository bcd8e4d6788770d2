// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a module smaller as long as it stays interesting: delta debugging on the program after `import`.
//
//   results dropped · ops cut out: what they gave becomes an argument · ops replaced by an operand or a zero · literals
//   made of one value · dimensions made small · what nobody uses removed
//
// Every candidate is a copy that verifies. MLIR's own reduction passes only erase ops whose results nobody uses, and
// patterns that a dialect registers; nothing of a dataflow graph is left to them once dead code is gone. Deterministic.
// Not thread-safe: uses the module's context, which must not have threads of its own: copies of this process parse
// first.
#ifndef HEDDLE_TOOLS_REDUCE_REDUCER_H
#define HEDDLE_TOOLS_REDUCE_REDUCER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace mlir::heddle {

// The module's text, with the names of the model's nodes where ops have them: placement files read those.
std::string spell(ModuleOp module);

struct Reduction {
  OwningOpRef<ModuleOp> module;
  unsigned tests = 0;   // how often it was asked whether a candidate is interesting
  bool complete = true; // false: `maxTests` ended it
};

// Ops of the module's functions, with those inside of other ops' regions; not counted: functions, terminators,
// constants, what makes an empty tensor or only reads a size.
unsigned countOps(ModuleOp module);

// `isInteresting` must hold of the module. `observe` sees every step that was taken.
Reduction reduce(
    ModuleOp module, llvm::function_ref<bool(ModuleOp)> isInteresting, unsigned maxTests,
    llvm::function_ref<void(ModuleOp)> observe = [](ModuleOp) {});

} // namespace mlir::heddle

#endif // HEDDLE_TOOLS_REDUCE_REDUCER_H
