// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the operands of a contraction lie along its loops, and what its body makes of them. Pure.
#ifndef HEDDLE_COMPILER_CODEGEN_PLAN_CONTRACTIONOPERANDS_H
#define HEDDLE_COMPILER_CODEGEN_PLAN_CONTRACTIONOPERANDS_H

#include "compiler/Codegen/Plan/Configure.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::heddle::codegen {

bool dependsOn(AffineMap map, unsigned dim);
bool dependsOn(OpOperand *input, unsigned loop);

// The op's loop that is a dimension of the value. `position`: of the op's result 0, as RowStep has it.
std::optional<unsigned> loopOf(linalg::GenericOp op, ArrayRef<int64_t> position, int64_t dim);

// The inputs of a reduction that a loop walks, that of the result's columns, and the others. Not inputs that only give
// a size, as that of a pool's window.
struct SplitOperands {
  SmallVector<OpOperand *> columns, others;
};
// None where one side has no input: then none is used for several columns or for several rows. The one rule for what
// is computed in tiles of rows times columns, whatever the products and sums are.
std::optional<SplitOperands> splitOperands(linalg::GenericOp op, unsigned columnLoop);

// Neighbours along the loop are neighbours in memory.
bool isContiguous(AffineMap map, unsigned dim);

// What the body of a contraction computes for a vector of columns, walked by loop `lane`, and for each row. Bodies that
// read columns as they are count as one multiply-add.
ContractionBody describeBody(linalg::GenericOp op, unsigned lane);

// The size of the innermost reduction loop.
Size innermostReduction(linalg::GenericOp op);

// Bytes of one of the operand's rows, where these are runs of memory, each for one position of the loops `rows`.
Size copyableRowBytes(OpOperand &operand, ArrayRef<unsigned> rows);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_PLAN_CONTRACTIONOPERANDS_H
