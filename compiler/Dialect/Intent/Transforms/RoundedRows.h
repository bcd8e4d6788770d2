// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of f32 as codes of 8 bits with a scale for each block: what a product in integers reads of them.
#ifndef HEDDLE_COMPILER_DIALECT_INTENT_TRANSFORMS_ROUNDEDROWS_H
#define HEDDLE_COMPILER_DIALECT_INTENT_TRANSFORMS_ROUNDEDROWS_H

#include "compiler/Dialect/Intent/IR/IntentOps.h"

#include "mlir/IR/Builders.h"

namespace mlir::heddle::intent {

struct RoundedRows {
  Value codes;  // [m, blocks, block], of two codes a byte [m, blocks, 2, block / 2], i8 from -127 to 127
  Value scales; // [m, blocks], f32: the block's greatest magnitude / 127
  Value sums;   // [m, blocks], i32: of a block's codes; null where they are not asked for
};

// The op's rows, rounded to the nearest code, ties to even. Where the op has two codes a byte, a block of the result is
// its even columns, then its odd ones. A block whose magnitudes are all below 1e-35 is of zeros; one with a NaN has the
// scale NaN. Ops have the product's discardable attributes.
RoundedRows roundRows(OpBuilder &builder, QuantizedProductOp op, bool wantsSums);

} // namespace mlir::heddle::intent

#endif // HEDDLE_COMPILER_DIALECT_INTENT_TRANSFORMS_ROUNDEDROWS_H
