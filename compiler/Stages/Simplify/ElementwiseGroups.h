// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which elementwise ops become one op: decisions only, in time linear in the ops and their operands.
//
//   for (ElementwiseGroup &group : groupElementwise(block))
//     for (ArrayRef<GroupMember> piece : cutIntoPieces(group))
//       ...                                              // one op
//
// A group has one root. All others compute what only members read, at the element that the root is at, so that each is
// computed once for an element however often it is read. What something else reads is a root itself: it is computed
// once and kept in memory, never computed again. A group that is too large for a kernel is cut where few values cross;
// these are kept in memory too.
#ifndef HEDDLE_COMPILER_STAGES_SIMPLIFY_ELEMENTWISEGROUPS_H
#define HEDDLE_COMPILER_STAGES_SIMPLIFY_ELEMENTWISEGROUPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::heddle {

struct GroupMember {
  mutable linalg::GenericOp op;   // a handle: being asked does not change it
  SmallVector<unsigned, 4> loops; // loops[i]: which loop of the root is loop i of the op
};

struct ElementwiseGroup {
  SmallVector<GroupMember> members; // producers before consumers, the root last
};

// The groups of at least two ops in the block, not in blocks inside it, by the place of their roots. The consumer is
// elementwise or has one reduced loop; contractions keep their operands, since a fused one would be computed for each
// element that it is used for. What is read by broadcast is not computed again either, and a constant is left for
// flow-evaluate-constants. Of several reductions that an op reads only one can have it as its epilogue: where one of
// them is narrowed first, its small elements go to memory.
SmallVector<ElementwiseGroup> groupElementwise(Block &block);

// The members in their order, in pieces of at most 512 body ops (BodyCost.h) and 64 tensors read and written. A member
// that is larger is alone.
SmallVector<ArrayRef<GroupMember>> cutIntoPieces(const ElementwiseGroup &group);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_SIMPLIFY_ELEMENTWISEGROUPS_H
