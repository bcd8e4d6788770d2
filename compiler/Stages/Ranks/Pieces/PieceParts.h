// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops of one piece: slices of what is read, the works on them, the collective of a piece, and all parts together.
#ifndef HEDDLE_COMPILER_STAGES_RANKS_PIECES_PIECEPARTS_H
#define HEDDLE_COMPILER_STAGES_RANKS_PIECES_PIECEPARTS_H

#include "compiler/Stages/Ranks/Pieces/PiecePlan.h"

#include "mlir/IR/IRMapping.h"

namespace mlir::heddle::pieces {

// Positions [begin, begin + size) of the extent.
struct Piece {
  OpFoldResult begin, size;
};

class PieceParts {
public:
  // `extent`: what is cut, as the builder's place has it. The plan outlives this.
  PieceParts(const PiecePlan &plan, OpFoldResult extent) : plan(plan), extent(extent) {}

  // The piece of a dimension; `isOfMembers`: of each member's part of it.
  Value slice(OpBuilder &builder, Value value, int64_t dim, const Piece &piece, bool isOfMembers) const;
  // The collective of a piece of its operand.
  Value move(OpBuilder &builder, Value operand, const Piece &piece) const;
  // The work on a piece. `mapping` has what others made of it, and gets the results.
  void work(OpBuilder &builder, const PieceWork &each, const Piece &piece, IRMapping &mapping) const;
  // Parts behind one another, of `whole`'s type; by member those of each member.
  Value join(OpBuilder &builder, ArrayRef<Value> parts, int64_t dim, Value whole, bool isOfMembers) const;
  // What parts of a free size fill, as large as `like` but for the dimension that is cut; and filled with them.
  Value makeMemory(OpBuilder &builder, Value like, int64_t dim, bool isOfMembers, int64_t number) const;
  Value fill(OpBuilder &builder, Value memory, ArrayRef<Value> parts, ArrayRef<Piece> pieces, int64_t dim, Value whole,
             bool isOfMembers) const;

private:
  Value sliceInit(OpBuilder &builder, Value init, int64_t dim, const Piece &piece) const;
  OpFoldResult ofAll(OpBuilder &builder, OpFoldResult size, bool isOfMembers) const;

  const PiecePlan &plan;
  OpFoldResult extent;
};

} // namespace mlir::heddle::pieces

#endif // HEDDLE_COMPILER_STAGES_RANKS_PIECES_PIECEPARTS_H
