// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `--max-transient` computes in parts: `heddle.parts` on the module, a list of sentences for people. What
// `heddle explain` prints; no pass decides by it.
#ifndef HEDDLE_COMPILER_DIALECT_HEDDLE_IR_PARTNOTES_H
#define HEDDLE_COMPILER_DIALECT_HEDDLE_IR_PARTNOTES_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::heddle {

inline constexpr llvm::StringLiteral kPartsAttr = "heddle.parts";

// Null where nothing was said.
inline ArrayAttr getPartNotes(ModuleOp module) { return module->getAttrOfType<ArrayAttr>(kPartsAttr); }

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_DIALECT_HEDDLE_IR_PARTNOTES_H
