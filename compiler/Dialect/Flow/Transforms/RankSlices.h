// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A rank's part of a parameter, which the host program takes as a view (no dispatch reads the whole of it):
//
//   %i = flow.coordinate @m "x"
//   %row = arith.muli %i, %c128 : index
//   %own = tensor.extract_slice %w[%row, 0] [128, 64] [1, 1] : tensor<256x64xf32> to tensor<128x64xf32>
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_RANKSLICES_H
#define HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_RANKSLICES_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::heddle::flow {

// Whether the op takes rows of a constant or parameter, at a place that a coordinate tells.
bool isRankSlice(tensor::ExtractSliceOp op);

// Whether index arithmetic leads to a coordinate of the rank.
bool dependsOnCoordinate(Value value);

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_RANKSLICES_H
