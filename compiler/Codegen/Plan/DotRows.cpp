// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Plan/DotRows.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

bool mlir::heddle::codegen::isInMemory(linalg::GenericOp op, unsigned operand) {
  return isa<BlockArgument>(op->getOperand(operand));
}

bool mlir::heddle::codegen::isRunAlong(linalg::GenericOp op, unsigned operand, unsigned loop) {
  AffineMap map = op.getMatchingIndexingMap(&op->getOpOperand(operand));
  ArrayRef<AffineExpr> results = map.getResults();
  return !results.empty() && results.back() == getAffineDimExpr(loop, map.getContext()) &&
         llvm::none_of(results.drop_back(), [&](AffineExpr expr) { return expr.isFunctionOfDim(loop); });
}

// Rows along the innermost dimension of a tile's rows are a constant stride apart.
static bool isStrided(const ContractionPlan &nest) {
  const RowStep &step = nest.step;
  linalg::GenericOp op = step.op;
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  auto at = llvm::find(step.position, static_cast<int64_t>(nest.tileDims.back()));
  auto loop = dyn_cast<AffineDimExpr>(result.getResult(at - step.position.begin()));
  AffineMap map = op.getMatchingIndexingMap(&op->getOpOperand(nest.integer->row));
  return loop && llvm::none_of(map.getResults(), [&](AffineExpr expr) {
           bool divides = false;
           expr.walk([&](AffineExpr part) {
             divides |= part.isFunctionOfDim(loop.getPosition()) &&
                        llvm::is_contained({AffineExprKind::Mod, AffineExprKind::FloorDiv, AffineExprKind::CeilDiv},
                                           part.getKind());
           });
           return divides;
         });
}

bool mlir::heddle::codegen::mustPackRows(const ContractionPlan &nest) {
  const IntegerContraction &form = *nest.integer;
  linalg::GenericOp op = nest.step.op;
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  int64_t depth = op.getStaticLoopRanges()[reductions.back()];
  return form.widens() || form.shiftsRows() || ShapedType::isDynamic(depth) || depth % form.group() != 0 ||
         !isInMemory(op, form.row) || !isRunAlong(op, form.row, reductions.back()) ||
         (form.dot == cpu::IntegerDot::Tiles && !isStrided(nest));
}
