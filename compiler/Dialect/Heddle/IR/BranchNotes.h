// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What place-overlap-branches says of the branches of a program: `heddle.branches` on the module, a list of sentences
// for people in the order of the program. What `heddle explain` prints; no pass decides by it.
#ifndef HEDDLE_COMPILER_DIALECT_HEDDLE_IR_BRANCHNOTES_H
#define HEDDLE_COMPILER_DIALECT_HEDDLE_IR_BRANCHNOTES_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::heddle {

inline constexpr llvm::StringLiteral kBranchesAttr = "heddle.branches";

// Null where nothing was said.
inline ArrayAttr getBranchNotes(ModuleOp module) { return module->getAttrOfType<ArrayAttr>(kBranchesAttr); }

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_DIALECT_HEDDLE_IR_BRANCHNOTES_H
