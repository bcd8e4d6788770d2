// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
// What the caller knows the elements as, where it is not what SSA values hold (getStorageType).
inline constexpr llvm::StringLiteral kElementTypeAttr = "heddle.element_type";
// On an scf.for: the tensors that it carries keep the sizes of their initial values.
inline constexpr llvm::StringLiteral kKeepsShapesAttr = "heddle.keeps_shapes";
// On a structured op: data tiling leaves its operands and results as they are.
inline constexpr llvm::StringLiteral kKeepsLayoutAttr = "heddle.keeps_layout";
// On a structured op: how many parts its reduction is computed in, or the name of a strategy.
inline constexpr llvm::StringLiteral kSplitAttr = "heddle.split";
// On a dispatch of a long reduction: whether it was split, into how many parts, and why.
// On the scores of attention that may be computed in parts along its positions.
inline constexpr llvm::StringLiteral kSplitScoresAttr = "heddle.split_scores";
inline constexpr llvm::StringLiteral kSplitNoteAttr = "heddle.split_note";
// On a structured op, or one of TOSA or StableHLO: which loops of it run over streams (#flow.stream_axis, or several).
inline constexpr llvm::StringLiteral kStreamAttr = "heddle.stream";
// On an scf.for: its iterations run on streams of the device in turn (#flow.streams).
inline constexpr llvm::StringLiteral kStreamsAttr = "heddle.streams";
inline constexpr llvm::StringLiteral kAffinityAttr = "heddle.affinity";
// On an argument or result of an entry point: #flow.sharding, what part of a whole array it is.
inline constexpr llvm::StringLiteral kShardingAttr = "heddle.sharding";
// Beside an affinity that the compiler chose: by which rule.
inline constexpr llvm::StringLiteral kPlacedByAttr = "heddle.placed_by";
// On the module: what `--place=auto` expects, `estimate_us`, and `single_us` of the best `single_device`.
inline constexpr llvm::StringLiteral kPlacementAttr = "heddle.placement";

// The type that SSA values have for elements of type `element`. Integers are signless, and whether they are unsigned
// shows in the ops on them; floats of 8 and 4 bits and integers narrower than a byte are their bytes, i8, as at the
// boundary (contract/ElementType.h). All others are themselves.
Type getStorageType(Type element);

// The type of an argument or result as the caller knows it: `type`, with the elements that `attributes` (which may be
// null) name.
RankedTensorType getBoundaryType(RankedTensorType type, DictionaryAttr attributes);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_DIALECT_HEDDLE_IR_HEDDLEDIALECT_H
