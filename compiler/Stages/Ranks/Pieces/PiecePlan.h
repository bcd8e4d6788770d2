// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A collective and the structured ops beside it that can be computed in pieces together, as data: what is cut, and
// where. It is found by planPieces() and as old as the program then.
#ifndef HEDDLE_COMPILER_STAGES_RANKS_PIECES_PIECEPLAN_H
#define HEDDLE_COMPILER_STAGES_RANKS_PIECES_PIECEPLAN_H

#include "compiler/Dialect/Flow/Analysis/SizeEstimates.h"
#include "compiler/Dialect/Flow/IR/FlowCollectives.h"
#include "heddle/contract/OverlapTime.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::heddle::pieces {

// A structured op that is computed in pieces.
struct PieceWork {
  mutable linalg::LinalgOp op; // ops have no constant methods
  unsigned loop;               // that is cut
};

struct PiecePlan {
  mutable flow::CollectiveOpInterface collective;
  int64_t dim = 0;       // that is cut, of what lies between the collective and the works
  bool feeds = false;    // the collective's result is what the works read; else they make its operand
  bool byMember = false; // the dimension is the members' parts, of each of which a piece has a part
  int64_t members = 1;
  int64_t extent = 0;                                // what is cut; by member: of one member
  std::string why;                                   // it cannot be done, for people; "": it can
  SmallVector<PieceWork> works;                      // in the order of the block
  SmallVector<Operation *> behind;                   // what comes to stand behind them
  llvm::SmallMapVector<Value, int64_t, 8> cutValues; // what is made in pieces, and the dimension that is cut

  // Whether the extent is known to the call only.
  bool isFree() const { return ShapedType::isDynamic(extent); }
  bool isWork(Operation *op) const;
  // The dimension of a value that is made in pieces; none of others.
  std::optional<int64_t> dimOf(Value value) const;
  // What others than the works read of what they make.
  SmallVector<Value> findJoined() const;
  // The dimension that the collective cuts or joins; -1 where it has none.
  int64_t ownDim() const;
  // Whether parts of a free extent are written where they belong: no other size of what is put together is free, and
  // they lie behind one another.
  bool fillsInPlace() const;
  // Whether they are copied there instead: slices by member, or parts of several free sizes.
  bool copiesParts() const;
};

// Along dimension `dim` of what lies between the collective and the works: the result of one that feeds them, else the
// operand.
PiecePlan planPieces(flow::CollectiveOpInterface collective, int64_t dim);

// The account's numbers, of a free extent those of its estimate. `sizes` may be asked as long as nothing is rewritten.
::heddle::contract::OverlapAccount describePieces(const PiecePlan &plan, flow::SizeEstimates &sizes);

// The dimension that the loop walks alone; none where the map does not mention it.
std::optional<int64_t> findDim(AffineMap map, unsigned loop);

} // namespace mlir::heddle::pieces

#endif // HEDDLE_COMPILER_STAGES_RANKS_PIECES_PIECEPLAN_H
