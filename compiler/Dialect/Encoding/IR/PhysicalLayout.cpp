// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Encoding/IR/PhysicalLayout.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::encoding;

::heddle::contract::Tiling mlir::heddle::encoding::toTiling(LayoutAttr layout) {
  auto list = [](ArrayRef<int64_t> values) { return std::vector<int64_t>(values.begin(), values.end()); };
  return {list(layout.getPerm()), list(layout.getInnerDims()), list(layout.getInnerTiles()), list(layout.getSwizzle())};
}

LayoutAttr mlir::heddle::encoding::getLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast_if_present<LayoutAttr>(tensor.getEncoding()) : LayoutAttr();
}

SmallVector<PhysicalDim> mlir::heddle::encoding::getPhysicalDims(LayoutAttr layout) {
  ArrayRef<int64_t> inner = layout.getInnerDims(), tiles = layout.getInnerTiles(), swizzle = layout.getSwizzle();
  SmallVector<int64_t> tileOf(layout.getPerm().size(), 1);
  for (auto [dim, tile] : llvm::zip_equal(inner, tiles))
    tileOf[dim] = tile;
  SmallVector<PhysicalDim> dims;
  for (int64_t dim : layout.getPerm())
    dims.push_back({dim, tileOf[dim], false, tileOf[dim]});
  for (size_t i = 0; i < inner.size(); ++i) {
    int64_t at = swizzle.empty() ? i : swizzle[i];
    dims.push_back({inner[at], 1, true, tiles[at]});
  }
  return dims;
}

RankedTensorType mlir::heddle::encoding::getPhysicalType(RankedTensorType type) {
  LayoutAttr layout = getLayout(type);
  if (!layout)
    return RankedTensorType::get(type.getShape(), type.getElementType());
  SmallVector<int64_t> shape;
  for (const PhysicalDim &dim : getPhysicalDims(layout)) {
    if (dim.inner)
      shape.push_back(dim.tile);
    else
      shape.push_back(type.isDynamicDim(dim.dim) ? ShapedType::kDynamic
                                                 : llvm::divideCeil(type.getDimSize(dim.dim), dim.step));
  }
  return RankedTensorType::get(shape, type.getElementType());
}

SmallVector<AffineExpr> mlir::heddle::encoding::getPhysicalIndex(LayoutAttr layout, ArrayRef<AffineExpr> index) {
  return llvm::map_to_vector(getPhysicalDims(layout), [&](const PhysicalDim &dim) {
    AffineExpr at = index[dim.dim];
    return dim.inner ? at % dim.tile : at.floorDiv(dim.step);
  });
}
