// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Simplify/Contraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

static bool isZeroFill(Value init) {
  auto fill = init.getDefiningOp<linalg::FillOp>();
  return fill && matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
}

bool mlir::heddle::isSumOfProducts(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 || !isZeroFill(op.getDpsInits()[0]))
    return false;
  Block &body = *op.getBlock();
  auto sum = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!sum)
    return false;
  bool sumFirst = sum.getLhs() == body.getArgument(2);
  auto product = (sumFirst ? sum.getRhs() : sum.getLhs()).getDefiningOp<arith::MulFOp>();
  if (!product || (!sumFirst && sum.getRhs() != body.getArgument(2)))
    return false;
  Value a = body.getArgument(0), b = body.getArgument(1);
  return (product.getLhs() == a && product.getRhs() == b) || (product.getLhs() == b && product.getRhs() == a);
}
