// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a resolved encoding means in memory: sizes, indices, bytes.
//
// The physical tensor of `tensor<64x40xf32, #encoding.layout<perm = [1, 0], inner_dims = [1], inner_tiles = [16], …>>`
// is `tensor<3x64x16xf32>`; element (k, n) stands at (n floordiv 16, k, n mod 16).
#ifndef HEDDLE_COMPILER_DIALECT_ENCODING_IR_PHYSICALLAYOUT_H
#define HEDDLE_COMPILER_DIALECT_ENCODING_IR_PHYSICALLAYOUT_H

#include "compiler/Dialect/Encoding/IR/EncodingOps.h"
#include "heddle/contract/Packing.h"

namespace mlir::heddle::encoding {

// On a function's argument whose type was made physical: the layout it had. Its dynamic sizes are those of the tensor
// divided by the tiles, the function's index arguments still those of the tensor.
inline constexpr llvm::StringLiteral kLayoutAttr = "encoding.layout";

::heddle::contract::Tiling toTiling(LayoutAttr layout);

// The layout of a type that has one; null for plain tensors, `#encoding.identity`, and what is not resolved.
LayoutAttr getLayout(Type type);

// The plain type of the tensor in memory. Of a type without layout: the type without encoding. A dynamic size stays
// dynamic, so the number of dynamic dimensions does not change, their order may.
RankedTensorType getPhysicalType(RankedTensorType type);

// Where an element is: from an index in the tensor to one in memory.
SmallVector<AffineExpr> getPhysicalIndex(LayoutAttr layout, ArrayRef<AffineExpr> index);

// For each dimension in memory the tensor's dimension it walks and how many of its elements a step is.
struct PhysicalDim {
  int64_t dim;
  int64_t step;
  bool inner; // counts within a tile: its size does not depend on the tensor's
  int64_t tile;
};
SmallVector<PhysicalDim> getPhysicalDims(LayoutAttr layout);

} // namespace mlir::heddle::encoding

#endif // HEDDLE_COMPILER_DIALECT_ENCODING_IR_PHYSICALLAYOUT_H
