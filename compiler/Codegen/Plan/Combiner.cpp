// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Plan/Combiner.h"

#include "compiler/Dialect/Flow/IR/StrictFloat.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

using namespace mlir;
using namespace mlir::heddle::codegen;

std::optional<SmallVector<Combiner>> mlir::heddle::codegen::getCombiners(linalg::GenericOp op) {
  SmallVector<Combiner> combiners;
  for (auto [yielded, argument] : llvm::zip(op.getBody()->getTerminator()->getOperands(), op.getRegionOutputArgs())) {
    Operation *def = yielded.getDefiningOp();
    if (!def || def->getNumOperands() != 2 || !argument.hasOneUse() || *argument.user_begin() != def)
      return std::nullopt;
    auto kind = linalg::getCombinerOpKind(def);
    auto neutral = arith::getNeutralElement(def);
    if (!kind || !neutral)
      return std::nullopt;
    combiners.push_back({*kind, *neutral});
  }
  return combiners;
}

bool mlir::heddle::codegen::canSumInBlocks(linalg::GenericOp op) {
  auto combiners = getCombiners(op);
  auto module = op->getParentOfType<ModuleOp>();
  if (!combiners || combiners->size() != 1 || combiners->front().kind != vector::CombiningKind::ADD ||
      !isa<FloatType>(combiners->front().neutral.getType()) || (module && module->hasAttr(flow::kStrictFloatAttr)))
    return false;
  SmallVector<int64_t> sizes;
  for (auto [size, kind] : llvm::zip_equal(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction && size != 1)
      sizes.push_back(size);
  return sizes.size() == 1 || llvm::none_of(sizes, ShapedType::isDynamic);
}
