// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Analysis/ProductFactors.h"

using namespace mlir;
using namespace mlir::heddle;

// The input whose element a factor of the product is.
static std::optional<ProductFactor> factorOf(linalg::LinalgOp op, Value value) {
  Operation *conversion = value.getDefiningOp();
  if (conversion && conversion->getNumOperands() == 1)
    value = conversion->getOperand(0);
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != op.getBlock() || argument.getArgNumber() >= op.getNumDpsInputs())
    return std::nullopt;
  return ProductFactor{op.getMatchingOpOperand(argument), conversion};
}

std::optional<std::array<ProductFactor, 2>> mlir::heddle::factorsOf(const Structure &structure) {
  if (!structure.arithmetic)
    return std::nullopt;
  auto op = cast<linalg::LinalgOp>(structure.product->getBlock()->getParentOp());
  Block *body = op.getBlock();
  bool addsProduct = body->getTerminator()->getOperand(0) == structure.sum->getResult(0) &&
                     llvm::is_contained(structure.sum->getOperands(), structure.product->getResult(0)) &&
                     llvm::is_contained(structure.sum->getOperands(), Value(body->getArguments().back()));
  auto first = factorOf(op, structure.product->getOperand(0)), second = factorOf(op, structure.product->getOperand(1));
  if (!addsProduct || !first || !second || first->operand == second->operand)
    return std::nullopt;
  return std::array{*first, *second};
}
