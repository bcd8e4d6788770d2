// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/CPU/FlattenPixels.h"

#include "compiler/Dialect/Flow/IR/Pitch.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

static Value flattenPixels(Value value) {
  constexpr int64_t kShort = 8;
  auto pad = value.getDefiningOp<tensor::PadOp>();
  if (!pad || !isa<BlockArgument>(pad.getSource()) || !pad.getConstantPaddingValue())
    return value;
  RankedTensorType type = pad.getResultType();
  int64_t rank = type.getRank(), channels = rank < 2 ? 0 : type.getDimSize(rank - 1);
  if (channels < 2 || channels > kShort || pad.getSourceType().getDimSize(rank - 1) != channels ||
      type.isDynamicDim(rank - 2) || pad.getSourceType().isDynamicDim(rank - 2))
    return value;
  OpBuilder builder(pad);
  SmallVector<OpFoldResult> low = pad.getMixedLowPad(), high = pad.getMixedHighPad();
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim + 1 < rank; ++dim)
    groups.push_back({dim});
  groups.back().push_back(rank - 1);
  for (SmallVector<OpFoldResult> *amounts : {&low, &high}) {
    amounts->pop_back();
    std::optional<int64_t> pixels = getConstantIntValue(amounts->back());
    if (!pixels)
      return value;
    amounts->back() = builder.getIndexAttr(*pixels * channels);
  }
  SmallVector<int64_t> shape(type.getShape().drop_back());
  shape.back() *= channels;
  Value rows = tensor::CollapseShapeOp::create(builder, pad.getLoc(), pad.getSource(), groups);
  return tensor::PadOp::create(builder, pad.getLoc(), type.clone(shape), rows, low, high,
                               pad.getConstantPaddingValue());
}

SmallVector<Value> mlir::heddle::codegen::flattenResults(func::FuncOp function, const cpu::CpuFeatures &features) {
  SmallVector<Value> results(function.getBody().front().getTerminator()->getOperands());
  for (auto [position, result] : llvm::enumerate(results))
    if (features.masks && !flow::getPitch(function, position))
      result = flattenPixels(result);
  return results;
}
