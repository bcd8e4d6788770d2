// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Plan/Combiner.h"

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
