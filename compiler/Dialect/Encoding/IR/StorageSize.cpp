// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Encoding/IR/StorageSize.h"

#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Dialect/Encoding/IR/PhysicalLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::encoding;

// Constants in one factor, so that equal dynamic factors give equal values.
Value mlir::heddle::encoding::storageSize(OpBuilder &builder, Location location, RankedTensorType type,
                                          ValueRange sizes) {
  int64_t known = storageBytes(type.getElementType());
  Value dynamic;
  auto product = [&](Value x, Value y) -> Value { // that overflows is no size
    return arith::MulIOp::create(builder, location, x, y, arith::IntegerOverflowFlags::nsw);
  };
  auto multiply = [&](Value size, int64_t tile) {
    if (std::optional<int64_t> value = getConstantIntValue(size)) {
      known *= llvm::divideCeil(*value, tile);
      return;
    }
    if (tile > 1) {
      Value divisor = arith::ConstantIndexOp::create(builder, location, tile);
      size = arith::CeilDivSIOp::create(builder, location, size, divisor);
    }
    dynamic = dynamic ? product(dynamic, size) : size;
  };
  if (LayoutAttr layout = getLayout(type)) {
    for (const PhysicalDim &dim : getPhysicalDims(layout)) {
      if (dim.inner)
        known *= dim.tile;
      else
        multiply(sizes[dim.dim], dim.step);
    }
  } else {
    for (Value size : sizes)
      multiply(size, 1);
  }
  Value factor = arith::ConstantIndexOp::create(builder, location, known);
  if (!dynamic || known == 0)
    return factor;
  return known == 1 ? dynamic : product(dynamic, factor);
}
