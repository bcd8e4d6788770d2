// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Plan/IntegerContraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

namespace {

// What the body adds to its sums: the product of two arguments, each widened.
struct Product {
  BlockArgument factors[2];
  bool signs[2] = {false, false};
  bool isFloat = false;
};

} // namespace

// The body's argument that `value` widens, of bytes or of bf16.
static BlockArgument widened(Value value, Block *body, bool isFloat, bool &isSigned) {
  Operation *def = value.getDefiningOp();
  if (!def || (isFloat ? !isa<arith::ExtFOp>(def) : !isa<arith::ExtSIOp, arith::ExtUIOp>(def)))
    return nullptr;
  Type narrow = def->getOperand(0).getType();
  if (isFloat ? !narrow.isBF16() : !narrow.isInteger(8))
    return nullptr;
  isSigned = isa<arith::ExtSIOp>(def);
  auto argument = dyn_cast<BlockArgument>(def->getOperand(0));
  return argument && argument.getOwner() == body ? argument : nullptr;
}

static std::optional<Product> findProduct(linalg::GenericOp op) {
  Block *body = op.getBody();
  Operation *sum = body->getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::AddIOp, arith::AddFOp>(sum))
    return std::nullopt;
  Product product;
  product.isFloat = isa<arith::AddFOp>(sum);
  Type type = sum->getResult(0).getType();
  Value left = sum->getOperand(0), right = sum->getOperand(1), accumulator = op.getRegionOutputArgs()[0];
  if ((product.isFloat ? !type.isF32() : !type.isInteger(32)) || (left != accumulator && right != accumulator))
    return std::nullopt;
  Operation *term = (left == accumulator ? right : left).getDefiningOp();
  if (!isa_and_nonnull<arith::MulIOp, arith::MulFOp>(term))
    return std::nullopt;
  for (unsigned i : {0, 1})
    product.factors[i] = widened(term->getOperand(i), body, product.isFloat, product.signs[i]);
  if (!product.factors[0] || !product.factors[1] || product.factors[0] == product.factors[1])
    return std::nullopt;
  return product;
}

// P if columns are stored (n floordiv P, k…, c floordiv g, n mod P, c mod g) in groups of g, perhaps after batch
// dimensions; else 0.
static int64_t panelOfGroups(AffineMap map, unsigned lane, unsigned innermost, int64_t group) {
  MLIRContext *context = map.getContext();
  AffineExpr c = getAffineDimExpr(innermost, context), n = getAffineDimExpr(lane, context);
  unsigned rank = map.getNumResults();
  if (rank < 4 || map.getResult(rank - 1) != c % group || map.getResult(rank - 3) != c.floorDiv(group))
    return 0;
  auto inner = dyn_cast<AffineBinaryOpExpr>(map.getResult(rank - 2));
  auto panel = inner && inner.getKind() == AffineExprKind::Mod ? dyn_cast<AffineConstantExpr>(inner.getRHS()) : nullptr;
  if (!panel || inner.getLHS() != n)
    return 0;
  unsigned outer = 0, others = 0;
  for (AffineExpr expr : map.getResults().drop_back(3)) {
    outer += expr == n.floorDiv(panel.getValue());
    others += expr != n.floorDiv(panel.getValue()) && expr.isFunctionOfDim(lane);
  }
  return outer == 1 && others == 0 ? panel.getValue() : 0;
}

std::optional<IntegerContraction> mlir::heddle::codegen::matchIntegerContraction(linalg::GenericOp op, unsigned lane,
                                                                                 const cpu::CpuFeatures &features) {
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0)
    return std::nullopt;
  std::optional<Product> product = findProduct(op);
  if (!product || (product->isFloat ? !features.bfloatDot : features.dot == cpu::IntegerDot::None))
    return std::nullopt;
  auto operandOf = [&](unsigned factor) { return op.getMatchingOpOperand(product->factors[factor]); };
  auto walksLanes = [&](unsigned factor) { return op.getMatchingIndexingMap(operandOf(factor)).isFunctionOfDim(lane); };
  if (walksLanes(0) == walksLanes(1))
    return std::nullopt;
  unsigned column = walksLanes(0) ? 0 : 1, row = 1 - column;
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  bool areEqual = product->signs[0] == product->signs[1];
  IntegerContraction form{product->isFloat ? cpu::IntegerDot::Pairs : features.dot,
                          operandOf(row)->getOperandNumber(),
                          operandOf(column)->getOperandNumber(),
                          product->signs[row],
                          product->signs[column],
                          areEqual ? !features.equalSignDots : !features.mixedSignDots,
                          product->isFloat,
                          0};
  form.panel = panelOfGroups(op.getMatchingIndexingMap(operandOf(column)), lane, reductions.back(), form.storedGroup());
  return form;
}
