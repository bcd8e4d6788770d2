// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// memref.expand_shape with several free sizes in one group, which upstream's expand-strided-metadata crashes on.
#include "compiler/Reference/Program.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::reference;

static OpFoldResult multiply(OpBuilder &builder, Location location, OpFoldResult a, OpFoldResult b) {
  Value x = getValueOrCreateConstantIndexOp(builder, location, a),
        y = getValueOrCreateConstantIndexOp(builder, location, b);
  return OpFoldResult(arith::MulIOp::create(builder, location, x, y).getResult());
}

static void lower(memref::ExpandShapeOp op) {
  OpBuilder builder(op);
  Location location = op.getLoc();
  SmallVector<int64_t> strides;
  int64_t offset;
  MemRefType type = op.getResultType();
  if (failed(type.getStridesAndOffset(strides, offset)))
    return;
  auto source = memref::ExtractStridedMetadataOp::create(builder, location, op.getSrc());
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape(), mixedStrides;
  for (int64_t stride : strides) // of a scalar that becomes 1x1…, any stride will do
    mixedStrides.push_back(builder.getIndexAttr(ShapedType::isDynamic(stride) ? 1 : stride));
  for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices())) {
    OpFoldResult stride = source.getStrides()[dim];
    for (int64_t i : llvm::reverse(group)) {
      if (ShapedType::isDynamic(strides[i]))
        mixedStrides[i] = stride;
      stride = multiply(builder, location, stride, sizes[i]);
    }
  }
  OpFoldResult start = ShapedType::isDynamic(offset) ? OpFoldResult(source.getOffset()) : builder.getIndexAttr(offset);
  Value view =
      memref::ReinterpretCastOp::create(builder, location, type, source.getBaseBuffer(), start, sizes, mixedStrides);
  op.replaceAllUsesWith(view);
  op.erase();
}

void reference::lowerExpandShapes(ModuleOp module) {
  SmallVector<memref::ExpandShapeOp> ops;
  module.walk([&](memref::ExpandShapeOp op) { ops.push_back(op); });
  for (memref::ExpandShapeOp op : ops)
    lower(op);
}
