// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Plan/ContractionOperands.h"

#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Codegen/Plan/NestAnalysis.h"
#include "compiler/Codegen/Plan/Sizes.h"

using namespace mlir;
using namespace mlir::heddle::codegen;

bool mlir::heddle::codegen::dependsOn(AffineMap map, unsigned dim) {
  return llvm::any_of(map.getResults(), [&](AffineExpr expr) { return expr.isFunctionOfDim(dim); });
}

bool mlir::heddle::codegen::dependsOn(OpOperand *input, unsigned loop) {
  return dependsOn(cast<linalg::GenericOp>(input->getOwner()).getMatchingIndexingMap(input), loop);
}

std::optional<unsigned> mlir::heddle::codegen::loopOf(linalg::GenericOp op, ArrayRef<int64_t> position, int64_t dim) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (auto [expr, at] : llvm::zip_equal(map.getResults(), position))
    if (auto loop = dyn_cast<AffineDimExpr>(expr); loop && at == dim)
      return loop.getPosition();
  return std::nullopt;
}

std::optional<SplitOperands> mlir::heddle::codegen::splitOperands(linalg::GenericOp op, unsigned columnLoop) {
  SplitOperands split;
  for (OpOperand *input : op.getDpsInputOperands())
    if (!op.getMatchingBlockArgument(input).use_empty())
      (dependsOn(input, columnLoop) ? split.columns : split.others).push_back(input);
  return split.columns.empty() || split.others.empty() ? std::nullopt : std::optional(std::move(split));
}

bool mlir::heddle::codegen::isContiguous(AffineMap map, unsigned dim) {
  unsigned rank = map.getNumResults();
  for (unsigned i = 0; i + 1 < rank; ++i)
    if (map.getResult(i).isFunctionOfDim(dim))
      return false;
  AffineExpr last = map.getResult(rank - 1);
  if (auto sum = dyn_cast<AffineBinaryOpExpr>(last); sum && sum.getKind() == AffineExprKind::Add)
    last = sum.getLHS().isFunctionOfDim(dim) ? sum.getLHS() : sum.getRHS();
  return last == getAffineDimExpr(dim, map.getContext());
}

ContractionBody mlir::heddle::codegen::describeBody(linalg::GenericOp op, unsigned lane) {
  enum { Row = 1, Column = 2, Sum = 4 };
  DenseMap<Value, int> kinds; // what a value depends on
  for (OpOperand &operand : op->getOpOperands()) {
    bool isSum = op.isDpsInit(&operand);
    bool isColumn = dependsOn(op.getMatchingIndexingMap(&operand), lane);
    kinds[op.getMatchingBlockArgument(&operand)] = isSum ? Sum : isColumn ? Column : Row;
  }
  ContractionBody body{0, 0, 0, 0};
  SmallPtrSet<Value, 8> columns, rows;
  for (Operation &inner : op.getBody()->without_terminator()) {
    int kind = 0;
    for (Value operand : inner.getOperands())
      kind |= kinds.lookup(operand);
    for (Value result : inner.getResults())
      kinds[result] = kind;
    if (kind == Column)
      ++body.columnOps;
    if (kind == Row || kind == Column || kind == 0)
      continue;
    for (Value operand : inner.getOperands()) {
      if (kinds.lookup(operand) == Column)
        columns.insert(operand);
      if (kinds.lookup(operand) == Row)
        rows.insert(operand);
    }
    // A product that is added is one instruction with the addition.
    bool isAdded = isa<arith::MulFOp>(inner) && inner.getResult(0).hasOneUse() &&
                   isa<arith::AddFOp>(*inner.getResult(0).user_begin());
    body.termOps += !isAdded;
  }
  body.columnValues = columns.size();
  body.rowValues = rows.size();
  for (BlockArgument argument : op.getBody()->getArguments())
    body.columnOps += kinds.lookup(argument) == Column && !argument.use_empty(); // loads
  return body.columnValues > 1 ? body : ContractionBody();
}

Size mlir::heddle::codegen::innermostReduction(linalg::GenericOp op) {
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  int64_t size = op.getStaticLoopRanges()[reductions.back()];
  return ShapedType::isDynamic(size) ? Size() : Size(size);
}

Size mlir::heddle::codegen::copyableRowBytes(OpOperand &operand, ArrayRef<unsigned> rows) {
  auto op = cast<linalg::GenericOp>(operand.getOwner());
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  bool isOne = llvm::all_of(ArrayRef(reductions).drop_back(),
                            [&](unsigned loop) { return op.getStaticLoopRanges()[loop] == 1; });
  if (!type || !isa<BlockArgument>(operand.get()) || !isOne || type.getRank() == 0 ||
      type.isDynamicDim(type.getRank() - 1))
    return std::nullopt;
  AffineMap map = mapWithoutUnitLoops(operand);
  AffineExpr k = getAffineDimExpr(reductions.back(), map.getContext());
  bool isRun = map.getResults().back() == k && llvm::all_of(map.getResults().drop_back(), [&](AffineExpr expr) {
                 return isa<AffineDimExpr, AffineConstantExpr>(expr) && expr != k;
               });
  bool walksAll = llvm::all_of(rows, [&](unsigned loop) { return map.isFunctionOfDim(loop); });
  return isRun && walksAll ? Size(type.getShape().back() * storageBytes(type.getElementType())) : std::nullopt;
}
