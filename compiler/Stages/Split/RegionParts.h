// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What splitting one reduction of a region and splitting a chain of several have in common.
#ifndef HEDDLE_COMPILER_STAGES_SPLIT_REGIONPARTS_H
#define HEDDLE_COMPILER_STAGES_SPLIT_REGIONPARTS_H

#include "compiler/Dialect/Flow/IR/FlowOps.h"

#include "mlir/IR/IRMapping.h"

namespace mlir::heddle::split {

struct RegionResult {
  Type element;
  SmallVector<OpFoldResult> sizes;
};

// An empty region where `like` runs.
flow::RegionOp emitRegion(OpBuilder &builder, flow::RegionOp like, ArrayRef<RegionResult> results);
// The op on other operands, whose last ones are its results' inits; what its body uses from outside is what `mapping`
// makes of it.
Operation *cloneOn(OpBuilder &b, Operation *op, ArrayRef<Value> operands, const IRMapping &mapping);
// All ops of the block before `end`.
void cloneBefore(OpBuilder &b, Operation *end, IRMapping &mapping);
void eraseDead(flow::RegionOp made);
// Positions in `loop` of a structured op count from `begin`.
void shiftPositions(Operation *made, unsigned loop, Value begin);

} // namespace mlir::heddle::split

#endif // HEDDLE_COMPILER_STAGES_SPLIT_REGIONPARTS_H
