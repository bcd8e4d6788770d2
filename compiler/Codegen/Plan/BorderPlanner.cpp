// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Plan/BorderPlanner.h"

#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Codegen/Plan/Sizes.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

tensor::PadOp mlir::heddle::codegen::matchBorder(Value value) {
  auto pad = value.getDefiningOp<tensor::PadOp>();
  if (!pad || !pad.getConstantPaddingValue() || !pad.getSource().getDefiningOp<linalg::LinalgOp>())
    return nullptr;
  auto isKnown = [](OpFoldResult amount) {
    std::optional<int64_t> constant = getConstantIntValue(amount);
    return constant && *constant >= 0;
  };
  return llvm::all_of(pad.getMixedLowPad(), isKnown) && llvm::all_of(pad.getMixedHighPad(), isKnown) ? pad : nullptr;
}

BorderPlan mlir::heddle::codegen::planBorder(tensor::PadOp pad, const cpu::CpuFeatures &features) {
  BorderPlan border;
  border.pad = pad;
  border.value = pad.getResult();
  border.masks = features.masks;
  RankedTensorType type = pad.getResultType();
  int64_t rank = type.getRank();
  border.width =
      configureWidth(rank == 0 ? Size(1) : sizeOf(type, rank - 1), storageBytes(type.getElementType()), features);
  return border;
}
