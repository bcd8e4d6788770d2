// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many steps the blocks have in which a contraction's sums are computed (ContractionConfig::depth).
#ifndef HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_DEPTHSIZES_H
#define HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_DEPTHSIZES_H

#include "compiler/Codegen/Emit/FunctionScalars.h"
#include "compiler/Codegen/Plan/Nest.h"

namespace mlir::heddle::codegen {

// Of the contraction's reduction loops.
SmallVector<Value> reductionSizes(linalg::GenericOp op, FunctionScalars &scalars);

// One loop is cut, those inside of it are whole, those outside take a step at a time.
struct DepthCut {
  size_t loop;
  int64_t most; // steps of the loop in a block
};
// Of loops of these sizes, for blocks of about `depth` steps.
DepthCut findCut(ArrayRef<Value> sizes, int64_t depth);

struct DepthChunks {
  Value count, steps; // of the loop that is cut: blocks of about the same size
};
// Of a loop of `size` steps, at least one block.
DepthChunks findChunks(Value size, int64_t most, FunctionScalars &scalars);

// The most steps of each reduction loop that a block has: all there are where the nest has no blocks.
SmallVector<Value> depthSizes(const ContractionPlan &nest, FunctionScalars &scalars);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_DEPTHSIZES_H
