// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/CPU/Contraction/ContractionIndex.h"

#include "compiler/Codegen/CPU/Contraction/DepthSizes.h"
#include "compiler/Codegen/Emit/VectorLoops.h"

using namespace mlir;
using namespace mlir::heddle::codegen;

ContractionIndex::ContractionIndex(const ContractionPlan &nest, ElementEmitter &emitter)
    : nest(nest), emitter(emitter), lanes(emitter.lanes), op(linalg::GenericOp(nest.step.op)),
      space(nest, emitter.scalars), extents(reductionSizes(op, emitter.scalars)) {
  op.getReductionDims(reductions);
  depthExtents = extents;
}

void ContractionIndex::moveTo(ArrayRef<Value> at) {
  OpBuilder &builder = lanes.builder;
  Location loc = lanes.loc;
  auto times = [&](Value value, int64_t factor) {
    return builder.createOrFold<arith::MulIOp>(loc, value, lanes.index(factor));
  };
  index.assign(cast<RankedTensorType>(nest.value.getType()).getRank(), lanes.constant(0));
  for (auto [dim, i] : llvm::zip(nest.batchDims, at))
    index[dim] = LaneValue::uniform(i);
  firstColumn = times(at.back(), tileColumns(nest));
  columnsLeft = builder.createOrFold<arith::SubIOp>(loc, space.columns, firstColumn);
  std::optional<int64_t> columns = getConstant(space.columns);
  ragged = !columns || *columns % tileColumns(nest) != 0;
  blockBegin.clear();
  blockEnd.clear();
  for (auto [i, block, size] :
       llvm::zip_equal(at.drop_front(nest.batchDims.size()).drop_back(), nest.contraction.block, space.rowSizes)) {
    blockBegin.push_back(times(i, block));
    Value after = builder.createOrFold<arith::AddIOp>(loc, blockBegin.back(), lanes.index(block));
    blockEnd.push_back(builder.createOrFold<arith::MinSIOp>(loc, after, size));
    if (getConstant(size) && *getConstant(size) % block == 0)
      blockEnd.back() = after;
  }
}

SmallVector<LaneValue> ContractionIndex::tileDims(ArrayRef<Value> row) const {
  SmallVector<LaneValue> at = index;
  at[*nest.laneDim] = LaneValue::uniform(firstColumn);
  for (auto [dim, i] : llvm::zip_equal(nest.tileDims, row))
    at[dim] = LaneValue::uniform(i);
  SmallVector<LaneValue> result;
  for (int64_t position : nest.step.position)
    result.push_back(position < 0 ? lanes.constant(0) : at[position]);
  SmallVector<LaneValue> dims = emitter.loopIndices(op, 0, result);
  for (auto [dim, begin] : llvm::zip(reductions, depthBegin))
    dims[dim] = LaneValue::uniform(begin);
  return dims;
}

SmallVector<Value> ContractionIndex::toReductions(ArrayRef<Value> at) const {
  SmallVector<Value> indices(at);
  for (auto [index, begin] : llvm::zip(indices, depthBegin))
    index = lanes.builder.createOrFold<arith::AddIOp>(lanes.loc, begin, index);
  return indices;
}

bool ContractionIndex::writesOutRows() const {
  return llvm::any_of(llvm::zip_equal(space.rowSizes, nest.contraction.tile), [](auto dim) {
    auto [size, extent] = dim;
    return extent > 1 && !getConstant(size);
  });
}

SmallVector<SmallVector<Value>> ContractionIndex::tileRows(const RowTile &tile) const {
  OpBuilder &builder = lanes.builder;
  SmallVector<SmallVector<Value>> rows(1);
  for (auto [dim, extent] : llvm::enumerate(tile.extent)) {
    SmallVector<SmallVector<Value>> next;
    Value last = builder.createOrFold<arith::SubIOp>(lanes.loc, space.rowSizes[dim], lanes.index(1));
    for (const SmallVector<Value> &outer : rows)
      for (int64_t i = 0; i < extent; ++i) {
        Value at = builder.createOrFold<arith::AddIOp>(lanes.loc, tile.begin[dim], lanes.index(i));
        if (tile.clamp && i > 0)
          at = builder.createOrFold<arith::MinSIOp>(lanes.loc, at, last);
        next.push_back(outer);
        next.back().push_back(at);
      }
    rows = std::move(next);
  }
  return rows;
}

LaneValue ContractionIndex::columnLanes(int64_t vector) const {
  int64_t width = nest.contraction.width;
  Value column = lanes.builder.createOrFold<arith::AddIOp>(lanes.loc, firstColumn, lanes.index(vector * width));
  return LaneValue::affine(column, width == 1 ? 0 : 1, width);
}

Value ContractionIndex::columnMask(int64_t vector) const {
  if (!ragged)
    return {};
  int64_t width = nest.contraction.width;
  Value left = lanes.builder.createOrFold<arith::SubIOp>(lanes.loc, columnsLeft, lanes.index(vector * width));
  return maskBelow(emitter, left, width);
}

void ContractionIndex::forEachBlockRow(function_ref<void(ArrayRef<Value> row)> body) const {
  SmallVector<Value> sizes;
  for (auto [begin, end] : llvm::zip_equal(blockBegin, blockEnd))
    sizes.push_back(lanes.builder.createOrFold<arith::SubIOp>(lanes.loc, end, begin));
  emitter.loops(sizes, {}, [&](ArrayRef<Value> offset, ValueRange) -> SmallVector<Value> {
    SmallVector<Value> row;
    for (auto [begin, i] : llvm::zip_equal(blockBegin, offset))
      row.push_back(lanes.builder.createOrFold<arith::AddIOp>(lanes.loc, begin, i));
    body(row);
    return {};
  });
}

Value ContractionIndex::slotOf(ArrayRef<Value> row) const {
  Value slot = lanes.index(0);
  for (auto [i, begin, extent] : llvm::zip_equal(row, blockBegin, blockExtents(nest, emitter.scalars))) {
    slot = lanes.builder.createOrFold<arith::MulIOp>(lanes.loc, slot, extent);
    Value offset = lanes.builder.createOrFold<arith::SubIOp>(lanes.loc, i, begin);
    slot = lanes.builder.createOrFold<arith::AddIOp>(lanes.loc, slot, offset);
  }
  return slot;
}

unsigned ContractionIndex::loopOf(unsigned dim) const { return *getLoopOf(nest.step, dim); }

SmallVector<LaneValue> ContractionIndex::applyMap(AffineMap map, ArrayRef<LaneValue> dims) const {
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) { return lanes.apply(expr, dims); });
}

void ContractionIndex::forEachColumnOperand(function_ref<void(Value tensor, AffineMap map)> body) const {
  linalg::GenericOp generic = op;
  for (OpOperand *input : generic.getDpsInputOperands())
    if (AffineMap map = generic.getMatchingIndexingMap(input); map.isFunctionOfDim(laneLoop()))
      body(input->get(), map);
}
