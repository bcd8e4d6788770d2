// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/IR/FlowProducts.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::flow;

static bool areEqual(int64_t a, int64_t b) { return ShapedType::isDynamic(a) || ShapedType::isDynamic(b) || a == b; }

LogicalResult GroupedMatmulOp::verify() {
  auto rows = cast<RankedTensorType>(getRows().getType()), weights = cast<RankedTensorType>(getWeights().getType()),
       groups = cast<RankedTensorType>(getGroups().getType()), result = cast<RankedTensorType>(getResult().getType());
  if (rows.getRank() != 2 || weights.getRank() != 3 || groups.getRank() != 1 || result.getRank() != 2)
    return emitOpError(
               "takes rows [m, k], weights [groups, k, n] and one number for each group, and gives [m, n]; got ")
           << rows << ", " << weights << ", " << groups << " -> " << result;
  if (!areEqual(weights.getDimSize(0), groups.getDimSize(0)))
    return emitOpError() << "has weights of " << weights.getDimSize(0) << " groups and numbers of "
                         << groups.getDimSize(0);
  if (weights.getDimSize(0) == 0 || groups.getDimSize(0) == 0)
    return emitOpError("needs at least one group, which may be empty");
  if (!areEqual(rows.getDimSize(1), weights.getDimSize(1)))
    return emitOpError() << "multiplies rows of " << rows.getDimSize(1) << " elements by matrices of "
                         << weights.getDimSize(1) << " rows";
  if (!areEqual(rows.getDimSize(0), result.getDimSize(0)) || !areEqual(weights.getDimSize(2), result.getDimSize(1)))
    return emitOpError() << "gives as many rows as it takes, with the columns of the weights; got " << rows << ", "
                         << weights << " -> " << result;
  Type element = rows.getElementType(), sum = result.getElementType();
  if (weights.getElementType() != element)
    return emitOpError() << "has rows of " << element << " and weights of " << weights.getElementType()
                         << "; convert one of them";
  bool fits = element.isInteger(8) ? sum.isInteger(32) : sum.isF32() || sum == element;
  if (!fits)
    return emitOpError() << "gives " << (element.isInteger(8) ? "i32" : "f32 or the rows' type") << ", not " << sum;
  return success();
}

LogicalResult GroupedMatmulOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back({tensor::getMixedSize(builder, getLoc(), getRows(), 0),
                    tensor::getMixedSize(builder, getLoc(), getWeights(), 2)});
  return success();
}

#define GET_OP_CLASSES
#include "compiler/Dialect/Flow/IR/FlowProducts.cpp.inc"
