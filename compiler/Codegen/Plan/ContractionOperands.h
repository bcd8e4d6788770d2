// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the operands of a contraction lie along its loops, and what its body makes of them. Pure.
#ifndef HEDDLE_COMPILER_CODEGEN_PLAN_CONTRACTIONOPERANDS_H
#define HEDDLE_COMPILER_CODEGEN_PLAN_CONTRACTIONOPERANDS_H

#include "compiler/Codegen/Plan/Configure.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::heddle::codegen {

bool dependsOn(AffineMap map, unsigned dim);

// Neighbours along the loop are neighbours in memory.
bool isContiguous(AffineMap map, unsigned dim);

// The panel size P where columns are read at (…, n floordiv P, …, n mod P); 0 where they are not.
int64_t panelOf(AffineMap map, unsigned dim);

// What the body of a contraction computes for a vector of columns, walked by loop `lane`, and for each row. Bodies that
// read columns as they are count as one multiply-add.
ContractionBody describeBody(linalg::GenericOp op, unsigned lane);

// The size of the innermost reduction loop.
Size innermostReduction(linalg::GenericOp op);

// Bytes of one of the operand's rows, where these are runs of memory, each for one position of the loops `rows`.
Size copyableRowBytes(OpOperand &operand, ArrayRef<unsigned> rows);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_PLAN_CONTRACTIONOPERANDS_H
