// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/CPU/Contraction/NextColumns.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::heddle::codegen;

Value NextColumns::rowInBlock(const RowTile &tile) const {
  OpBuilder &builder = place.lanes.builder;
  Location loc = place.lanes.loc;
  Value row = place.lanes.index(0);
  for (auto [at, begin, block] : llvm::zip_equal(tile.begin, place.blockBegin, place.nest.contraction.block)) {
    row = builder.createOrFold<arith::MulIOp>(loc, row, place.lanes.index(block));
    row = builder.createOrFold<arith::AddIOp>(loc, row, builder.createOrFold<arith::SubIOp>(loc, at, begin));
  }
  return row;
}

int64_t NextColumns::lineColumns() const {
  constexpr int64_t kLineBits = 512;
  int64_t bits = 8;
  place.forEachColumnOperand([&](Value tensor, AffineMap) {
    bits = std::max<int64_t>(bits, cast<RankedTensorType>(tensor.getType()).getElementTypeBitWidth());
  });
  return std::max<int64_t>(kLineBits / bits, 1);
}

// Tiles of rows that share a block of the reduction.
static int64_t countTiles(const ContractionConfig &config) {
  return std::max<int64_t>(config.blockRows() / config.rows(), 1);
}

int64_t NextColumns::linesOfBlock() const {
  int64_t lines = llvm::divideCeil(tileColumns(place.nest), lineColumns());
  return llvm::divideCeil(lines, countTiles(place.nest.contraction));
}

Value NextColumns::firstOfBlock(const RowTile &tile) const {
  OpBuilder &builder = place.lanes.builder;
  Location loc = place.lanes.loc;
  int64_t share = linesOfBlock() * lineColumns();
  Value number =
      builder.createOrFold<arith::DivUIOp>(loc, rowInBlock(tile), place.lanes.index(place.nest.contraction.rows()));
  Value column = builder.createOrFold<arith::MulIOp>(loc, number, place.lanes.index(share));
  Value last = place.lanes.index(std::max<int64_t>(tileColumns(place.nest) - share, 0));
  column = builder.createOrFold<arith::MinUIOp>(loc, column, last);
  return builder.createOrFold<arith::AddIOp>(loc, place.firstColumn, column);
}

void NextColumns::begin(const RowTile &tile) {
  rows = tile.rows();
  if (place.nest.contraction.depthOutside) {
    first = firstOfBlock(tile);
    return;
  }
  FunctionScalars &scalars = place.emitter.scalars;
  Value elements = scalars.mul(scalars.product(place.extents), scalars.constant(tileColumns(place.nest)));
  Value share = scalars.divide(elements, scalars.constant(place.nest.contraction.blockRows()));
  first = place.lanes.builder.createOrFold<arith::MulIOp>(place.lanes.loc, rowInBlock(tile), share);
}

void NextColumns::ask(ArrayRef<LaneValue> dims, ArrayRef<Value> at) const {
  if (!first)
    return;
  OpBuilder &builder = place.lanes.builder;
  Location loc = place.lanes.loc;
  SmallVector<LaneValue> next(dims);
  if (place.nest.contraction.depthOutside) {
    for (auto [dim, k] : llvm::zip_equal(place.reductions, at))
      next[dim] = LaneValue::uniform(k);
    unsigned cut = place.reductions[place.depthCut];
    Value later = builder.createOrFold<arith::AddIOp>(loc, at[place.depthCut], place.depthExtents[place.depthCut]);
    next[cut] = LaneValue::uniform(later);
    for (int64_t line = 0; line < linesOfBlock(); ++line) {
      Value column = builder.createOrFold<arith::AddIOp>(loc, first, place.lanes.index(line * lineColumns()));
      next[place.laneLoop()] = LaneValue::affine(column, 0, lineColumns());
      place.forEachColumnOperand([&](Value columns, AffineMap map) {
        place.emitter.prefetchFar(columns, place.applyMap(map, next), place.lanes.index(0));
      });
    }
    return;
  }
  Value step = place.lanes.index(0);
  for (auto [i, extent] : llvm::zip_equal(at, place.extents))
    step = builder.createOrFold<arith::AddIOp>(loc, builder.createOrFold<arith::MulIOp>(loc, step, extent), i);
  int64_t perStep = llvm::divideCeil(rows * tileColumns(place.nest), place.nest.contraction.blockRows());
  Value skipped = builder.createOrFold<arith::MulIOp>(loc, step, place.lanes.index(perStep));
  Value distance = builder.createOrFold<arith::AddIOp>(loc, first, skipped);
  next[place.laneLoop()] = LaneValue::uniform(
      builder.createOrFold<arith::AddIOp>(loc, place.firstColumn, place.lanes.index(tileColumns(place.nest))));
  place.forEachColumnOperand(
      [&](Value columns, AffineMap map) { place.emitter.prefetchFar(columns, place.applyMap(map, next), distance); });
}
