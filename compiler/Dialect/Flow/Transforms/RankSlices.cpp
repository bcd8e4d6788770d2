// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Transforms/RankSlices.h"

#include "compiler/Dialect/Flow/IR/FlowCollectives.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle;

bool flow::dependsOnCoordinate(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<flow::CoordinateOp>(op))
    return true;
  return op && isa<arith::ArithDialect>(op->getDialect()) && llvm::any_of(op->getOperands(), dependsOnCoordinate);
}

bool flow::isRankSlice(tensor::ExtractSliceOp op) {
  RankedTensorType source = op.getSourceType();
  if (!isa_and_nonnull<arith::ConstantOp, flow::ParameterLoadOp>(op.getSource().getDefiningOp()) ||
      source.getEncoding() || source.getRank() == 0 || !source.hasStaticShape() || !op.hasUnitStride())
    return false;
  for (int64_t d = 1; d < source.getRank(); ++d)
    if (!isConstantIntValue(op.getMixedOffsets()[d], 0) || op.getStaticSizes()[d] != source.getDimSize(d))
      return false;
  auto begin = dyn_cast<Value>(op.getMixedOffsets()[0]);
  return begin && dependsOnCoordinate(begin);
}

bool flow::isPieceSlice(tensor::ExtractSliceOp op) {
  RankedTensorType source = op.getSourceType();
  if (!op->hasAttr(kPieceAttr) || source.getEncoding() || !op.hasUnitStride())
    return false;
  bool isFirst = true; // no dimension of several positions so far
  for (int64_t d = 0; d < source.getRank(); ++d) {
    if (!isFirst && (!isConstantIntValue(op.getMixedOffsets()[d], 0) || source.isDynamicDim(d) ||
                     op.getStaticSizes()[d] != source.getDimSize(d)))
      return false;
    isFirst &= op.getStaticSizes()[d] == 1;
  }
  return true;
}
