// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes into a tensor that a loop carries, or into an argument whose memory is the call's to write (heddle.donated, or
// heddle.state that the function has as a result too), which the host program does in place, without a dispatch:
//
//   scf.for %t = … iter_args(%y = %zeros) -> (tensor<?x8xf32>) {
//     …
//     %next = tensor.insert_slice %row into %y[%t, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<?x8xf32>
//     scf.yield %next : tensor<?x8xf32>
//   }
//
//   func.func @main(%rows: tensor<1x3x1x64xf32>, %cache: tensor<1x3x512x64xf32> {heddle.state = @cache}) … {
//     %new = tensor.insert_slice %rows into %cache[0, 0, %t, 0] [1, 3, 1, 64] [1, 1, 1, 1] : …
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_UPDATES_H
#define HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_UPDATES_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::heddle::flow {

// Whether the op writes whole rows of a carried tensor that nothing else reads, and hands the result on in its place;
// or of a tensor of free size that a branch of the same block gives and nothing else reads.
// Inner dimensions of free size are whole if the sizes are equal, which the host program checks.
bool isRowUpdate(tensor::InsertSliceOp op);

// Whether the op writes a slice of steps of one into such an argument, or into what another such op made of it, and
// nothing reads what it was before.
bool isArgumentUpdate(tensor::InsertSliceOp op);

// Whether the op writes a slice into a tensor that a loop over streams (heddle.streams) carries and nothing else reads, and
// hands the result on in its place.
bool isPartOfLoop(tensor::InsertSliceOp op);

// Whether nothing but a loop over streams, which carries it and changes it in parts, uses the tensor.
bool startsStreamLoop(tensor::EmptyOp op);

// One of the three.
bool isUpdate(tensor::InsertSliceOp op);

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_UPDATES_H
