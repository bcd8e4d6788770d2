// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is gathered as one piece from each member, sent to this one as it is: no piece is cut, and the first is here.
// And what is scattered as one piece for each member, sent to it as soon as it is computed, and summed there.
#ifndef HEDDLE_COMPILER_STAGES_RANKS_PIECES_PIECERING_H
#define HEDDLE_COMPILER_STAGES_RANKS_PIECES_PIECERING_H

#include "compiler/Stages/Ranks/Pieces/PiecePlan.h"

namespace mlir::heddle::pieces {

// Whether what is gathered can come from each member as it is, and the works compute with each by itself; or what is
// scattered can go to each member, which adds up what all sent.
bool canGoAround(const PiecePlan &plan);

// What stands for findJoined() then: a permute from each other member, which all begin at once, and the first piece is
// this member's own. Results are written where they belong, beginning at this member's place. What is scattered goes to
// each other member as soon as it is there, this one's own is computed last, and the sum is in the order of members.
SmallVector<Value> buildAround(const PiecePlan &plan, OpBuilder &builder);

} // namespace mlir::heddle::pieces

#endif // HEDDLE_COMPILER_STAGES_RANKS_PIECES_PIECERING_H
