// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Plan/IntegerContraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

// The body's argument that `value` widens from 8 bits.
static BlockArgument widened(Value value, Block *body, bool &isSigned) {
  Operation *def = value.getDefiningOp();
  if (!isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(def) || !def->getOperand(0).getType().isInteger(8))
    return nullptr;
  isSigned = isa<arith::ExtSIOp>(def);
  auto argument = dyn_cast<BlockArgument>(def->getOperand(0));
  return argument && argument.getOwner() == body ? argument : nullptr;
}

// P if columns are stored (n floordiv P, k…, c floordiv 4, n mod P, c mod 4), perhaps after batch dimensions; else 0.
static int64_t panelOfGroups(AffineMap map, unsigned lane, unsigned innermost) {
  MLIRContext *context = map.getContext();
  AffineExpr c = getAffineDimExpr(innermost, context), n = getAffineDimExpr(lane, context);
  unsigned rank = map.getNumResults();
  if (rank < 4 || map.getResult(rank - 1) != c % 4 || map.getResult(rank - 3) != c.floorDiv(4))
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
                                                                                 cpu::IntegerDot dot) {
  Block *body = op.getBody();
  if (dot == cpu::IntegerDot::None || op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0)
    return std::nullopt;
  auto sum = body->getTerminator()->getOperand(0).getDefiningOp<arith::AddIOp>();
  BlockArgument accumulator = op.getRegionOutputArgs()[0];
  if (!sum || !sum.getType().isInteger(32) || (sum.getLhs() != accumulator && sum.getRhs() != accumulator))
    return std::nullopt;
  Value term = sum.getLhs() == accumulator ? sum.getRhs() : sum.getLhs();
  auto product = term.getDefiningOp<arith::MulIOp>();
  if (!product)
    return std::nullopt;
  bool signs[2];
  BlockArgument factors[2] = {widened(product.getLhs(), body, signs[0]), widened(product.getRhs(), body, signs[1])};
  if (!factors[0] || !factors[1] || factors[0] == factors[1])
    return std::nullopt;
  auto walksLanes = [&](BlockArgument argument) {
    return op.getMatchingIndexingMap(op.getMatchingOpOperand(argument)).isFunctionOfDim(lane);
  };
  if (walksLanes(factors[0]) == walksLanes(factors[1]))
    return std::nullopt;
  unsigned column = walksLanes(factors[0]) ? 0 : 1, row = 1 - column;
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  AffineMap stored = op.getMatchingIndexingMap(op.getMatchingOpOperand(factors[column]));
  return IntegerContraction{dot,
                            op.getMatchingOpOperand(factors[row])->getOperandNumber(),
                            op.getMatchingOpOperand(factors[column])->getOperandNumber(),
                            signs[row],
                            signs[column],
                            panelOfGroups(stored, lane, reductions.back())};
}
