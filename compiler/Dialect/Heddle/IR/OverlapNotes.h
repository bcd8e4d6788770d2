// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which collectives are moved in pieces beside the products that need them, in how many, and why others are not:
// `heddle.overlaps` on the module, a list of sentences for people (ranks-overlap). What `heddle explain` prints; no
// pass decides by it.
#ifndef HEDDLE_COMPILER_DIALECT_HEDDLE_IR_OVERLAPNOTES_H
#define HEDDLE_COMPILER_DIALECT_HEDDLE_IR_OVERLAPNOTES_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::heddle {

inline constexpr llvm::StringLiteral kOverlapsAttr = "heddle.overlaps";

// Null where nothing was said.
inline ArrayAttr getOverlapNotes(ModuleOp module) { return module->getAttrOfType<ArrayAttr>(kOverlapsAttr); }

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_DIALECT_HEDDLE_IR_OVERLAPNOTES_H
