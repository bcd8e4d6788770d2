// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What was decided, in words: what `heddle explain` prints of shardings (Heddle/IR/ShardNotes.h).
#ifndef HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_REPORT_H
#define HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_REPORT_H

#include "compiler/Stages/Ranks/Propagation/Moves.h"

namespace mlir::heddle::propagation {

// A value that some reader wants otherwise than it lies, or that leaves the function otherwise.
struct Move {
  unsigned value;
  Layout wanted;
  bool repeats; // in each iteration of a loop
};

// Once for each value and wanted layout, in the order of the program; steps that each rank does on its own are none.
SmallVector<Move> findMoves(func::FuncOp function, const ProgramGraph &program, Moves &moves);

// "argument 'w1'", "result 0 of matmul of 'MatMul_3'".
std::string describe(func::FuncOp function, mlir::Value value);

// How arguments and results are shared, each conflict with its choices and their bytes, each move of a value between
// ranks, and what all of them send:
//
//   @main: argument 'w1' is cut by [], [x]
//   @main: matmul of 'MatMul_3' is computed by loops [], [x], [] (12.0 KiB moved), not by [x], [], [] (48.0 KiB)
//   @main: result 0 of matmul of 'MatMul_7': all_reduce over [x] (4096 bytes)
//   @main: 1 move between ranks, 4.0 KiB of the busiest one
SmallVector<std::string> reportShardings(func::FuncOp function, const ProgramGraph &program, Moves &moves);

// A warning at each request that some reader, or every one, does not keep to, and of which nobody would be told: a
// parameter of which ranks load another part than was asked for, and a value that all ranks have whole anyhow.
void warnOfReaders(func::FuncOp function, const ProgramGraph &program, Moves &moves);

} // namespace mlir::heddle::propagation

#endif // HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_REPORT_H
