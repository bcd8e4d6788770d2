// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How ranks share the values of whole programs, and why: `heddle.shardings` on the module, a list of sentences for
// people (ranks-propagate). What `heddle explain` prints; no pass decides by it.
#ifndef HEDDLE_COMPILER_DIALECT_HEDDLE_IR_SHARDNOTES_H
#define HEDDLE_COMPILER_DIALECT_HEDDLE_IR_SHARDNOTES_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::heddle {

inline constexpr llvm::StringLiteral kShardingsAttr = "heddle.shardings";

// Null where nothing was said.
inline ArrayAttr getShardNotes(ModuleOp module) { return module->getAttrOfType<ArrayAttr>(kShardingsAttr); }

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_DIALECT_HEDDLE_IR_SHARDNOTES_H
