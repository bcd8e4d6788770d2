// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What was decided, written at the ops (Heddle/IR/Shards.h) and told in words (Heddle/IR/ShardNotes.h).
#ifndef HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_APPLYSHARDINGS_H
#define HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_APPLYSHARDINGS_H

#include "compiler/Stages/Ranks/Propagation/Moves.h"

namespace mlir::heddle::propagation {

// How arguments that nothing but propagation asks for lie: as all their readers want them, or what all these can be
// sliced from. A request that reads an argument directly is the argument's.
void decideArguments(func::FuncOp function, ProgramGraph &program);

void applyShardings(func::FuncOp function, const ProgramGraph &program);

// For each argument and result how it is shared, each conflict with its choices and their bytes, and each move of a
// value between ranks: sentences, in the order of the program.
//
//   @main: argument 'w1': [], [x] as asked for
//   @main: matmul of 'MatMul_3': n = [x] (12.0 KiB), not m = [x] (48.0 KiB)
//   @main: result 0 of matmul of 'MatMul_7': all_reduce over [x] (4096 bytes)
//   @main: 1 move between ranks, 4.0 KiB of the busiest rank
SmallVector<std::string> reportShardings(func::FuncOp function, const ProgramGraph &program, Moves &moves);

// Bytes that the busiest rank sends in a call, by the moves of the report.
uint64_t countMoved(const ProgramGraph &program, Moves &moves);

} // namespace mlir::heddle::propagation

#endif // HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_APPLYSHARDINGS_H
