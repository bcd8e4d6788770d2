// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of tensors that the op that computes them can write where they belong, so that nobody copies them:
//
//   %part = flow.dispatch @relu_0(%x) … -> tensor<8x4xf32>
//   %next = tensor.insert_slice %part into %all[0, %at] [8, 4] [1, 1] : tensor<8x4xf32> into tensor<8x16xf32>
//
// where the insertion is an update (Dialect/Flow/Transforms/Updates.h), nothing else reads the part, where it goes is
// known before it is computed, and what computes it reads nothing of the same memory.
#ifndef HEDDLE_COMPILER_STAGES_FORM_PARTS_H
#define HEDDLE_COMPILER_STAGES_FORM_PARTS_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::heddle::parts {

// Whether `maker`, a flow.region or flow.dispatch, can write the op's source where the op inserts it.
bool isPlaceable(tensor::InsertSliceOp op, Operation *maker);

// Moves what the op's place is computed of before `maker`; isPlaceable must hold.
void hoistPlace(tensor::InsertSliceOp op, Operation *maker);

} // namespace mlir::heddle::parts

#endif // HEDDLE_COMPILER_STAGES_FORM_PARTS_H
