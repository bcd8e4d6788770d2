// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Padding and joins on parts, along the dimensions that they pad or join: a part has the positions of an operand that
// lie in it.
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_FACTORS_SHIFTEDPARTS_H
#define HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_FACTORS_SHIFTEDPARTS_H

#include "compiler/Dialect/Flow/Transforms/RankPart.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::heddle::flow {

// Whether the operand is what the part reaches already, along a dimension.
using IsTaken = llvm::function_ref<bool(unsigned operand, int64_t dim)>;

// The op on `parts` of its dimensions (those that are cut; others are whole), of the local `operands`, as `type`.
Value padOnParts(OpBuilder &builder, tensor::PadOp op, ValueRange operands, ArrayRef<RankPart> parts, IsTaken isTaken,
                 RankedTensorType type);
Value joinOnParts(OpBuilder &builder, tensor::ConcatOp op, ValueRange operands, ArrayRef<RankPart> parts,
                  IsTaken isTaken, RankedTensorType type);

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_FACTORS_SHIFTEDPARTS_H
