// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A collective and the structured ops beside it that can be computed in pieces together: what is cut, and the
// rewriting.
//
//   if (std::optional<PieceCut> cut = findCut(collective); cut && cut->reason().empty()) {
//     OverlapAccount account = cut->describe(sizes);
//     cut->apply(4);
//   }
#ifndef HEDDLE_COMPILER_STAGES_RANKS_PIECES_PIECECUT_H
#define HEDDLE_COMPILER_STAGES_RANKS_PIECES_PIECECUT_H

#include "compiler/Stages/Ranks/Pieces/PiecePlan.h"

namespace mlir::heddle {

using ::heddle::contract::OverlapAccount;

class PieceCut {
public:
  // Along dimension `dim` of what lies between the collective and the works.
  PieceCut(flow::CollectiveOpInterface collective, int64_t dim);

  // Why it cannot be done, for people; "" where a contraction is among the works and all can be cut.
  const std::string &reason() const { return plan.why; }
  // The account's numbers, of a free extent those of its estimate. `sizes` may be asked as long as nothing is
  // rewritten.
  OverlapAccount describe(flow::SizeEstimates &sizes) const;
  // Whether the extent is known to the call only.
  bool isFree() const { return plan.isFree(); }
  // Replaces the collective and the works by `pieces` pieces each, which are at most as many as there are positions; of
  // a free extent at most as many as there are `positions` for, and those behind have none.
  void apply(unsigned pieces, int64_t positions = 1);
  // The one of `counts` that `chosen` is, each in a branch; kAround where that can be. Of a free extent at most so many
  // pieces, one for each `positions`.
  void applyAmong(ArrayRef<unsigned> counts, Value chosen, Value positions = {});

  // Whether each member's part can come, or go, as it is (PieceRing.h); and does so.
  bool canGoAround() const;
  void applyAround();

private:
  OpBuilder builderBehind();
  void replaceSizes();
  void replaceBy(ArrayRef<Value> made);

  pieces::PiecePlan plan;
};

// That along the outermost dimension that has several positions. Of other kinds than these three, or where there is no
// such dimension, none.
std::optional<PieceCut> findCut(flow::CollectiveOpInterface collective);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_RANKS_PIECES_PIECECUT_H
