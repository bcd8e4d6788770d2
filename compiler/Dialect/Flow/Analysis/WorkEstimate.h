// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much an executable computes and moves in one run, counted on its logical function: for cost models only.
// Placement reads it, and artifacts carry it, so that a simulated device (runtime/drivers/sim) speaks of the same work.
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_ANALYSIS_WORKESTIMATE_H
#define HEDDLE_COMPILER_DIALECT_FLOW_ANALYSIS_WORKESTIMATE_H

#include "compiler/Dialect/Flow/IR/FlowOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::heddle::flow {

struct Work {
  uint64_t flops = 0; // operations on numbers
  uint64_t bytes = 0; // read and written
};

class SizeEstimates;

// Dynamic sizes are those that `sizes` tells of the function's values, else guessed as in estimateBytes(). Of a table
// that is only looked up, no more is read than is written.
Work estimateWork(func::FuncOp function, SizeEstimates *sizes = nullptr);
// Of one dispatch; `function` is its executable's.
Work estimateWork(DispatchOp dispatch, func::FuncOp function, SizeEstimates &sizes);

// Of one op: operations on numbers, as estimateWork() counts them.
uint64_t estimateFlops(linalg::LinalgOp op, SizeEstimates *sizes = nullptr);

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_ANALYSIS_WORKESTIMATE_H
