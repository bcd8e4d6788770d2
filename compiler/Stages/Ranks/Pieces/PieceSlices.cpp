// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/Pieces/PieceSlices.h"

#include "compiler/Dialect/Flow/Transforms/RankSlices.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::pieces;

RankedTensorType pieces::typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

// Sizes by their numbers, or as tensor.dim.
SmallVector<OpFoldResult> pieces::sizesOf(OpBuilder &builder, Value value) {
  return tensor::getMixedSizes(builder, value.getLoc(), value);
}

SmallVector<Value> pieces::dynamicOf(ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> values;
  for (OpFoldResult size : sizes)
    if (auto value = dyn_cast<Value>(size))
      values.push_back(value);
  return values;
}

int64_t pieces::staticOf(OpFoldResult size) { return getConstantIntValue(size).value_or(ShapedType::kDynamic); }

RankedTensorType pieces::resized(Value value, int64_t dim, OpFoldResult size) {
  SmallVector<int64_t> shape(typeOf(value).getShape());
  shape[dim] = staticOf(size);
  return RankedTensorType::get(shape, typeOf(value).getElementType());
}

static SmallVector<ReassociationIndices> pairAt(int64_t rank, int64_t dim) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t d = 0; d < rank; ++d)
    groups.push_back(d < dim    ? ReassociationIndices{d}
                     : d == dim ? ReassociationIndices{d, d + 1}
                                : ReassociationIndices{d + 1});
  return groups;
}

// Of a dimension that is `members` parts, [… members, part …].
Value pieces::splitMembers(OpBuilder &builder, Value value, int64_t dim, int64_t members, OpFoldResult part) {
  SmallVector<OpFoldResult> sizes = sizesOf(builder, value);
  sizes[dim] = part;
  sizes.insert(sizes.begin() + dim, builder.getIndexAttr(members));
  SmallVector<int64_t> shape(typeOf(value).getShape());
  shape[dim] = staticOf(part);
  shape.insert(shape.begin() + dim, members);
  auto type = RankedTensorType::get(shape, typeOf(value).getElementType());
  return tensor::ExpandShapeOp::create(builder, value.getLoc(), type, value, pairAt(typeOf(value).getRank(), dim),
                                       sizes);
}

Value pieces::mergeMembers(OpBuilder &builder, Value value, int64_t dim) {
  return tensor::CollapseShapeOp::create(builder, value.getLoc(), value, pairAt(typeOf(value).getRank() - 1, dim));
}

Value pieces::sliceAt(OpBuilder &builder, Value value, int64_t dim, OpFoldResult begin, OpFoldResult size) {
  SmallVector<OpFoldResult> sizes = sizesOf(builder, value);
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0)),
      steps(sizes.size(), builder.getIndexAttr(1));
  offsets[dim] = begin;
  sizes[dim] = size;
  auto slice =
      tensor::ExtractSliceOp::create(builder, value.getLoc(), resized(value, dim, size), value, offsets, sizes, steps);
  slice->setAttr(flow::kPieceAttr, builder.getUnitAttr());
  return slice;
}
