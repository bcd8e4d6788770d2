// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reshapes between a collective and the products beside it, moved to the collective's other side: they move no element,
// so it does not matter on which side they are, and the product is next to the collective then.
#ifndef HEDDLE_COMPILER_STAGES_RANKS_PIECES_MOVERESHAPES_H
#define HEDDLE_COMPILER_STAGES_RANKS_PIECES_MOVERESHAPES_H

#include "compiler/Dialect/Flow/IR/FlowCollectives.h"

namespace mlir::heddle {

// Whether all pieces along the dimension that the collective cuts or joins are of one size, which their types say; also
// where it has none.
bool hasEqualPieces(flow::CollectiveOpInterface op);

// Behind an all_reduce or reduce_scatter those that alone make its operand; in front of an all_gather one that alone
// reads its result. A reshape of the dimension that is cut or joined moves where that is the outermost of its
// dimensions that has several positions. Gives the collective as it is then.
flow::CollectiveOpInterface moveReshapes(flow::CollectiveOpInterface op);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_RANKS_PIECES_MOVERESHAPES_H
