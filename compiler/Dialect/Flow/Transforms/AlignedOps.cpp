// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Transforms/AlignedOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle;

bool flow::mayBeAligned(Operation *op) {
  return isa_and_present<tensor::PadOp, tensor::ConcatOp, linalg::SoftmaxOp>(op);
}

std::optional<SmallVector<bool>> flow::findAligned(Operation *op, int64_t dim) {
  if (!mayBeAligned(op) || op->getNumResults() != 1 ||
      dim >= cast<RankedTensorType>(op->getResult(0).getType()).getRank())
    return std::nullopt;
  SmallVector<bool> cut(op->getNumOperands(), true);
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    if (!pad.getConstantPaddingValue() || getConstantIntValue(pad.getMixedLowPad()[dim]) != 0 ||
        getConstantIntValue(pad.getMixedHighPad()[dim]) != 0)
      return std::nullopt;
    std::fill(cut.begin() + 1, cut.end(), false); // the amounts
    return cut;
  }
  int64_t along = isa<tensor::ConcatOp>(op) ? static_cast<int64_t>(cast<tensor::ConcatOp>(op).getDim())
                                            : static_cast<int64_t>(cast<linalg::SoftmaxOp>(op).getDimension());
  return along == dim ? std::nullopt : std::optional(cut);
}

Operation *flow::cloneAligned(OpBuilder &builder, Operation *op, ValueRange operands, int64_t dim, OpFoldResult size) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = getConstantIntValue(size).value_or(ShapedType::kDynamic);
  return clone(builder, op, RankedTensorType::get(shape, type.getElementType()), operands);
}
