// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slices that the host program takes as views, so that no dispatch reads the whole. A rank's part of a parameter:
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

// On a tensor.extract_slice: pieces of one value that are computed one after the other
// (Stages/Ranks/Pieces/PieceCut.h), which one executable serves where they are views.
inline constexpr llvm::StringLiteral kPieceAttr = "flow.piece";

// Whether the op takes such a piece that is one run of bytes: what lies behind the dimension that is cut has known
// sizes.
bool isPieceSlice(tensor::ExtractSliceOp op);

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_RANKSLICES_H
