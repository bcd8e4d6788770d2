// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Padding, joins and slices on parts. Along the dimensions that they pad or join a part has the positions of an operand
// that lie in it.
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_FACTORS_SHIFTEDPARTS_H
#define HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_FACTORS_SHIFTEDPARTS_H

#include "compiler/Dialect/Flow/IR/FlowAttrs.h"
#include "compiler/Dialect/Flow/Transforms/RankPart.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::heddle::flow {

// How many positions all of an operand has along a dimension of which it is what the part reaches already; null: it is
// whole along it.
using TakenWhole = llvm::function_ref<OpFoldResult(unsigned operand, int64_t dim)>;

// The op on `parts` of its dimensions (those that are cut; others are whole), of the local `operands`, as `type`.
Value padOnParts(OpBuilder &builder, tensor::PadOp op, ValueRange operands, ArrayRef<RankPart> parts,
                 TakenWhole wholeOf, RankedTensorType type);
Value joinOnParts(OpBuilder &builder, tensor::ConcatOp op, ValueRange operands, ArrayRef<RankPart> parts,
                  TakenWhole wholeOf, RankedTensorType type);

// A slice of every dimension of its source.
struct SliceOf {
  SmallVector<OpFoldResult> &offsets, &sizes, &strides;
};

// A slice of one position of those dimensions that `positions` has the part of (by dimension; null: none), of a source
// that is this part: the position where the part has it, else what is neutral for the reduction, so that all parts
// combined are the slice of the whole. All other dimensions are sliced as they are, and `slice` says what is to be
// taken of the result then. Without such a dimension it is `source`, and `slice` as it was.
Value takePositions(OpBuilder &builder, Location loc, Value source, ArrayRef<const RankPart *> positions,
                    Reduction reduction, SliceOf slice);

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_FACTORS_SHIFTEDPARTS_H
