// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What was decided, written at the ops (Heddle/IR/Shards.h).
#ifndef HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_APPLYSHARDINGS_H
#define HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_APPLYSHARDINGS_H

#include "compiler/Stages/Ranks/Propagation/ProgramGraph.h"

namespace mlir::heddle::propagation {

// How arguments that nothing but propagation asks for lie: as all their readers want them, or what all these can be
// sliced from. A request that reads an argument directly is the argument's.
void decideArguments(func::FuncOp function, ProgramGraph &program);

void applyShardings(func::FuncOp function, const ProgramGraph &program);

} // namespace mlir::heddle::propagation

#endif // HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_APPLYSHARDINGS_H
