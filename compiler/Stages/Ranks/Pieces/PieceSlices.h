// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slices and reshapes of tensors by one dimension: what PieceCut makes pieces of a value with.
#ifndef HEDDLE_COMPILER_STAGES_RANKS_PIECES_PIECESLICES_H
#define HEDDLE_COMPILER_STAGES_RANKS_PIECES_PIECESLICES_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::heddle::pieces {

RankedTensorType typeOf(Value value);
// Sizes by their numbers, or as tensor.dim.
SmallVector<OpFoldResult> sizesOf(OpBuilder &builder, Value value);
// Those that are values, in their order.
SmallVector<Value> dynamicOf(ArrayRef<OpFoldResult> sizes);
// The number, or ShapedType::kDynamic.
int64_t staticOf(OpFoldResult size);
// The value's type with another size of one dimension.
RankedTensorType resized(Value value, int64_t dim, OpFoldResult size);
// Of a dimension that is `members` parts, [… members, part …], and the way back.
Value splitMembers(OpBuilder &builder, Value value, int64_t dim, int64_t members, OpFoldResult part);
Value mergeMembers(OpBuilder &builder, Value value, int64_t dim);
// Positions [begin, begin + size) of the dimension; the slice is marked as a piece (flow::kPieceAttr).
Value sliceAt(OpBuilder &builder, Value value, int64_t dim, OpFoldResult begin, OpFoldResult size);

} // namespace mlir::heddle::pieces

#endif // HEDDLE_COMPILER_STAGES_RANKS_PIECES_PIECESLICES_H
