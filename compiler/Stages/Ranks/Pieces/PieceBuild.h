// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What takes the place of a collective and its works: pieces of them, or one of several ways that the load chooses.
#ifndef HEDDLE_COMPILER_STAGES_RANKS_PIECES_PIECEBUILD_H
#define HEDDLE_COMPILER_STAGES_RANKS_PIECES_PIECEBUILD_H

#include "compiler/Stages/Ranks/Pieces/PieceParts.h"

namespace mlir::heddle::pieces {

// All build, at the builder's place, what stands for the plan's findJoined(), in its order.
class PieceBuilder {
public:
  explicit PieceBuilder(const PiecePlan &plan) : plan(plan) {}

  // In `count` pieces, 1: whole; kAround. Of a free extent `count` are the most, one for each `positions` (null: 1).
  SmallVector<Value> build(OpBuilder &builder, unsigned count, Value positions);
  // The one of `counts` that `chosen` is, each in a branch.
  SmallVector<Value> buildAmong(OpBuilder &builder, ArrayRef<unsigned> counts, Value chosen, Value positions);

private:
  SmallVector<Value> buildFree(OpBuilder &builder, unsigned count, Value positions);
  SmallVector<Value> buildWhole(OpBuilder &builder) const;
  SmallVector<Value> buildPieces(OpBuilder &builder, ArrayRef<Piece> all);
  SmallVector<Piece> cutExtent(OpBuilder &builder, unsigned pieces);
  SmallVector<Piece> cutFree(OpBuilder &builder, unsigned pieces, Value positions);
  OpFoldResult findExtent(OpBuilder &builder);

  const PiecePlan &plan;
  OpFoldResult extent; // what is cut, once it is needed
};

} // namespace mlir::heddle::pieces

#endif // HEDDLE_COMPILER_STAGES_RANKS_PIECES_PIECEBUILD_H
