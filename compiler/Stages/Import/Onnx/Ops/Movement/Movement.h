// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cutting a tensor into parts: what Split and SplitToSequence share.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_MOVEMENT_MOVEMENT_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_MOVEMENT_MOVEMENT_H

#include "compiler/Stages/Import/Onnx/Lowering.h"

namespace mlir::heddle::importer {

// Checks that parts of these sizes make up `size`: refuses the node where they cannot, else fails the call.
LogicalResult checkParts(NodeContext &node, ArrayRef<OpFoldResult> parts, OpFoldResult size);

// The parts, from the first index of `axis` on.
SmallVector<Tensor> splitAlong(Emitter &emitter, Tensor &operand, int64_t axis, ArrayRef<OpFoldResult> parts);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_MOVEMENT_MOVEMENT_H
