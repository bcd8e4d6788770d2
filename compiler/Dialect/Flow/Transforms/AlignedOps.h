// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops without loops of their own that keep the positions of a dimension apart: positions [p, q) of their result depend
// on the same positions of what they read, and on operands that are needed whole. Padding, concatenation and softmax
// along other dimensions are such, so loops over streams can cut them like structured ops.
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_ALIGNEDOPS_H
#define HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_ALIGNEDOPS_H

#include "mlir/IR/Builders.h"

#include <optional>

namespace mlir::heddle::flow {

// Whether the op is of a kind that is aligned along some dimensions: tensor.pad, tensor.concat, linalg.softmax.
bool mayBeAligned(Operation *op);

// For each operand whether it is cut where dimension `dim` of the result is, along the same dimension. None where the
// op is not aligned along it: it pads, joins or normalises there, or pads with what depends on the position.
std::optional<SmallVector<bool>> findAligned(Operation *op, int64_t dim);

// The op on slices of what findAligned() says, of `size` positions of `dim`.
Operation *cloneAligned(OpBuilder &builder, Operation *op, ValueRange operands, int64_t dim, OpFoldResult size);

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_ALIGNEDOPS_H
