// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/CPU/Contraction/TurnedPanels.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

bool mlir::heddle::codegen::isTurned(linalg::GenericOp op, unsigned operand, unsigned laneLoop, unsigned innermost,
                                     int64_t width) {
  constexpr int64_t kFewest = 4, kMost = 16; // of a square
  AffineMap map = op.getMatchingIndexingMap(&op->getOpOperand(operand));
  Type element = cast<RankedTensorType>(op->getOperand(operand).getType()).getElementType();
  if (map.getNumResults() < 2 || !isa<FloatType>(element) || width < kFewest || width > kMost ||
      !llvm::isPowerOf2_64(width))
    return false;
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  return last && last.getPosition() == innermost && map.isFunctionOfDim(laneLoop) &&
         llvm::count_if(map.getResults(), [&](AffineExpr expr) { return expr.isFunctionOfDim(innermost); }) == 1;
}

void mlir::heddle::codegen::emitTurnedPanel(ElementEmitter &emitter, const TurnedPanel &panel, ArrayRef<LaneValue> dims,
                                            Value begin, Value end,
                                            function_ref<void(Value row, int64_t vector, Value elements)> store) {
  LaneBuilder &lanes = emitter.lanes;
  OpBuilder &builder = lanes.builder;
  Location loc = lanes.loc;
  linalg::GenericOp op = panel.op;
  AffineMap map = op.getMatchingIndexingMap(&op->getOpOperand(panel.operand));
  SmallVector<LaneValue> at(dims);
  emitter.loop(begin, end, panel.width, {}, [&](Value row, ValueRange) -> SmallVector<Value> {
    for (int64_t vector = 0; vector < panel.vectors; ++vector) {
      SmallVector<Value> square;
      at[panel.innermost] = LaneValue::affine(row, 1);
      lanes.width = panel.width;
      for (int64_t i = 0; i < panel.width; ++i) {
        Value column =
            builder.createOrFold<arith::AddIOp>(loc, panel.firstColumn, lanes.index(vector * panel.width + i));
        if (panel.lastColumn)
          column = builder.createOrFold<arith::MinSIOp>(loc, column, panel.lastColumn);
        at[panel.laneLoop] = LaneValue::uniform(column);
        SmallVector<LaneValue> index =
            llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) { return lanes.apply(expr, at); });
        square.push_back(lanes.toVector(emitter.evaluate(op->getOperand(panel.operand), index)));
      }
      lanes.width = 1;
      for (auto [i, elements] : llvm::enumerate(turnSquare(builder, loc, square)))
        store(builder.createOrFold<arith::AddIOp>(loc, row, lanes.index(i)), vector, elements);
    }
    return {};
  });
}

SmallVector<Value> mlir::heddle::codegen::turnSquare(OpBuilder &builder, Location loc, ArrayRef<Value> rows) {
  SmallVector<Value> vectors(rows);
  int64_t size = rows.size();
  // Squares of `step` off the diagonal of squares of 2 * step change places.
  for (int64_t step = size / 2; step > 0; step /= 2) {
    SmallVector<int64_t> upper, lower;
    for (int64_t i = 0; i < size; ++i) {
      upper.push_back(i & step ? size + i - step : i);
      lower.push_back(i & step ? size + i : i + step);
    }
    for (int64_t i = 0; i < size; ++i) {
      if (i & step)
        continue;
      Value a = vectors[i], b = vectors[i + step];
      vectors[i] = vector::ShuffleOp::create(builder, loc, a, b, upper);
      vectors[i + step] = vector::ShuffleOp::create(builder, loc, a, b, lower);
    }
  }
  return vectors;
}
