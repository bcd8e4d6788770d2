// The heddle dialect: registered attributes that users write. See HeddleDialect.td.
#ifndef HEDDLE_COMPILER_DIALECT_HEDDLE_IR_HEDDLEDIALECT_H
#define HEDDLE_COMPILER_DIALECT_HEDDLE_IR_HEDDLEDIALECT_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "llvm/ADT/StringRef.h"

#include "compiler/Dialect/Heddle/IR/HeddleDialect.h.inc"

namespace mlir::heddle {

inline constexpr llvm::StringLiteral kNameAttr = "heddle.name";
inline constexpr llvm::StringLiteral kDimsAttr = "heddle.dims";
// Stands for the type: integers of SSA values are signless, and whether they are unsigned shows in the ops on them.
inline constexpr llvm::StringLiteral kUnsignedAttr = "heddle.unsigned";
// On an scf.for: the tensors that it carries keep the sizes of their initial values.
inline constexpr llvm::StringLiteral kKeepsShapesAttr = "heddle.keeps_shapes";
// On a structured op: data tiling leaves its operands and results as they are.
inline constexpr llvm::StringLiteral kKeepsLayoutAttr = "heddle.keeps_layout";
inline constexpr llvm::StringLiteral kAffinityAttr = "heddle.affinity";
// Beside an affinity that the compiler chose: by which rule.
inline constexpr llvm::StringLiteral kPlacedByAttr = "heddle.placed_by";
// On the module: what `--place=auto` expects, `estimate_us`, and `single_us` of the best `single_device`.
inline constexpr llvm::StringLiteral kPlacementAttr = "heddle.placement";

// The type of an argument or result as the caller knows it: `type`, with unsigned elements where `attributes` (which
// may be null) say so.
RankedTensorType getBoundaryType(RankedTensorType type, DictionaryAttr attributes);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_DIALECT_HEDDLE_IR_HEDDLEDIALECT_H
