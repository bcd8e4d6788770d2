// Writes into a tensor that a loop carries, which the host program does in place, without a dispatch:
//
//   scf.for %t = … iter_args(%y = %zeros) -> (tensor<?x8xf32>) {
//     …
//     %next = tensor.insert_slice %row into %y[%t, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<?x8xf32>
//     scf.yield %next : tensor<?x8xf32>
//   }
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_UPDATES_H
#define HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_UPDATES_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::heddle::flow {

// Whether the op writes whole rows of a carried tensor that nothing else reads, and hands the result on in its place.
// Inner dimensions of free size are whole if the sizes are equal, which the host program checks.
bool isUpdate(tensor::InsertSliceOp op);

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_UPDATES_H
