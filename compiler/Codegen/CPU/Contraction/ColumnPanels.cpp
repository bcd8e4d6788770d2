// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/CPU/Contraction/ColumnPanels.h"
#include "compiler/Codegen/CPU/Contraction/TurnedPanels.h"
#include "compiler/Codegen/Emit/VectorLoops.h"
#include "compiler/Codegen/IR/KernelOps.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

static Type elementOf(Value tensor) { return cast<RankedTensorType>(tensor.getType()).getElementType(); }

Value ColumnPanels::offsetOf(ArrayRef<LaneValue> dims, int64_t vector) const {
  LaneBuilder &lanes = place.lanes;
  OpBuilder &builder = lanes.builder;
  Value linear = lanes.index(0);
  for (auto [i, dim, extent] : llvm::enumerate(place.reductions, extents)) {
    Value at = dims[dim].base;
    if (!begin.empty())
      at = builder.createOrFold<arith::SubIOp>(lanes.loc, at, begin[i]);
    linear = builder.createOrFold<arith::MulIOp>(lanes.loc, linear, extent);
    linear = builder.createOrFold<arith::AddIOp>(lanes.loc, linear, at);
  }
  linear = builder.createOrFold<arith::MulIOp>(lanes.loc, linear, lanes.index(tileColumns(place.nest)));
  return builder.createOrFold<arith::AddIOp>(lanes.loc, linear, lanes.index(vector * place.nest.contraction.width));
}

void ColumnPanels::pack() {
  LaneBuilder &lanes = place.lanes;
  linalg::GenericOp op = place.op;
  begin = place.depthBegin;
  extents = place.depthExtents;
  Value offset = scratch;
  for (unsigned operand : place.nest.packed) {
    Type element = place.emitter.memoryType(elementOf(op->getOperand(operand)));
    auto type = MemRefType::get({ShapedType::kDynamic}, element);
    memory[operand] = kernel::ScratchOp::create(lanes.builder, lanes.loc, type, offset);
    offset = lanes.builder.createOrFold<arith::AddIOp>(lanes.loc, offset,
                                                       panelBytes(place.nest, operand, place.emitter.scalars));
    bool turned = isTurned(op, operand, place.laneLoop(), place.reductions.back(), place.nest.contraction.width);
    if (turned && (!place.ragged || place.nest.masks)) {
      packTurned(operand);
      continue;
    }
    place.emitter.loops(extents, {}, [&](ArrayRef<Value> at, ValueRange) -> SmallVector<Value> {
      packRow(operand, place.toReductions(at));
      return {};
    });
  }
}

// Squares along the innermost reduction, then what is left of it row by row.
void ColumnPanels::packTurned(unsigned operand) {
  LaneBuilder &lanes = place.lanes;
  OpBuilder &builder = lanes.builder;
  const ContractionConfig &config = place.nest.contraction;
  unsigned innermost = place.reductions.back();
  TurnedPanel panel{place.op,     operand,        place.laneLoop(),  innermost,
                    config.width, config.vectors, place.firstColumn, {}};
  if (place.ragged)
    panel.lastColumn = builder.createOrFold<arith::SubIOp>(lanes.loc, place.space.columns, lanes.index(1));
  Value size = extents.back(), first = begin.empty() ? lanes.index(0) : begin.back();
  Value rest = builder.createOrFold<arith::RemUIOp>(lanes.loc, size, lanes.index(config.width));
  Value end = builder.createOrFold<arith::AddIOp>(lanes.loc, first, size);
  Value whole = builder.createOrFold<arith::SubIOp>(lanes.loc, end, rest);
  ArrayRef<Value> outer = ArrayRef(extents).drop_back();
  place.emitter.loops(outer, {}, [&](ArrayRef<Value> inside, ValueRange) -> SmallVector<Value> {
    SmallVector<Value> at = place.toReductions(inside);
    SmallVector<LaneValue> dims = place.tileDims(place.blockBegin);
    for (auto [dim, i] : llvm::zip(place.reductions, at))
      dims[dim] = LaneValue::uniform(i);
    emitTurnedPanel(place.emitter, panel, dims, first, whole, [&](Value row, int64_t vector, Value elements) {
      dims[innermost] = LaneValue::uniform(row);
      vector::StoreOp::create(builder, lanes.loc, elements, memory[operand], ValueRange{offsetOf(dims, vector)});
    });
    place.emitter.loop(whole, end, 1, {}, [&](Value row, ValueRange) -> SmallVector<Value> {
      SmallVector<Value> position(at);
      position.push_back(row);
      packRow(operand, position);
      return {};
    });
    return {};
  });
}

void ColumnPanels::packRow(unsigned operand, ArrayRef<Value> at) {
  LaneBuilder &lanes = place.lanes;
  linalg::GenericOp op = place.op;
  const ContractionConfig &config = place.nest.contraction;
  SmallVector<LaneValue> dims = place.tileDims(place.blockBegin);
  for (auto [dim, i] : llvm::zip(place.reductions, at))
    dims[dim] = LaneValue::uniform(i);
  if (place.ragged && !place.nest.masks)
    return packElements(operand, dims);
  AffineMap map = op.getMatchingIndexingMap(&op->getOpOperand(operand));
  Buffer panel{memory[operand], elementOf(op->getOperand(operand)), {0}, {lanes.index(1)}, {Value()}};
  SmallVector<LaneValue> columns;
  for (int64_t vector = 0; vector < config.vectors; ++vector)
    columns.push_back(place.columnLanes(vector));
  prefetchColumns(place, dims, columns, at);
  for (int64_t vector = 0; vector < config.vectors; ++vector) {
    lanes.width = config.width;
    lanes.mask = place.columnMask(vector);
    dims[place.laneLoop()] = place.columnLanes(vector);
    LaneValue loaded = place.emitter.evaluate(op->getOperand(operand), place.applyMap(map, dims));
    lanes.mask = {}; // the panel has room for all lanes
    place.emitter.store(panel, LaneValue::affine(offsetOf(dims, vector), 1), loaded);
    lanes.width = 1;
  }
}

// A row one by one; zeros past the last column.
void ColumnPanels::packElements(unsigned operand, SmallVector<LaneValue> dims) {
  LaneBuilder &lanes = place.lanes;
  linalg::GenericOp op = place.op;
  AffineMap map = op.getMatchingIndexingMap(&op->getOpOperand(operand));
  Buffer panel{memory[operand], elementOf(op->getOperand(operand)), {0}, {lanes.index(1)}, {Value()}};
  Value begin = offsetOf(dims, 0), end = lanes.index(tileColumns(place.nest));
  Value zero = arith::ConstantOp::create(lanes.builder, lanes.loc, lanes.builder.getZeroAttr(panel.elementType));
  place.emitter.loop(lanes.index(0), end, 1, {}, [&](Value j, ValueRange) -> SmallVector<Value> {
    LaneValue column = lanes.add(LaneValue::uniform(place.firstColumn), LaneValue::uniform(j));
    dims[place.laneLoop()] = column;
    LaneValue inside = lanes.compare(arith::CmpIPredicate::slt, column, LaneValue::uniform(place.space.columns));
    LaneValue element = place.emitter.branch(
        inside.base, panel.elementType,
        [&] { return place.emitter.evaluate(op->getOperand(operand), place.applyMap(map, dims)); },
        [&] { return LaneValue::uniform(zero); });
    place.emitter.store(panel, lanes.add(LaneValue::uniform(begin), LaneValue::uniform(j)), element);
    return {};
  });
}

void ColumnPanels::forEach(function_ref<void(unsigned operand)> body) const {
  for (auto [operand, copy] : memory)
    body(operand);
}

LaneValue ColumnPanels::load(unsigned operand, ArrayRef<LaneValue> dims, int64_t vector) const {
  LaneBuilder &lanes = place.lanes;
  linalg::GenericOp op = place.op;
  VectorType type = lanes.vectorOf(place.emitter.memoryType(elementOf(op->getOperand(operand))));
  return LaneValue::any(vector::LoadOp::create(lanes.builder, lanes.loc, type, memory.find(operand)->second,
                                               ValueRange{offsetOf(dims, vector)}));
}

// Whether a tile's reduction is over before columns that are asked for within it would be there.
static bool asksForNextTile(const ContractionIndex &place) {
  std::optional<int64_t> steps = getConstant(place.extents.back());
  return !place.nest.contraction.paddedColumns && place.extents.size() == 1 && steps && *steps <= kMostStepsForNextTile;
}

void mlir::heddle::codegen::prefetchColumns(const ContractionIndex &place, ArrayRef<LaneValue> dims,
                                            ArrayRef<LaneValue> columns, ArrayRef<Value> at) {
  LaneBuilder &lanes = place.lanes;
  int64_t width = place.nest.contraction.width;
  if (width == 1)
    return;
  SmallVector<LaneValue> ahead(dims);
  for (auto [dim, k] : llvm::zip(place.reductions, at))
    ahead[dim] = LaneValue::uniform(k);
  bool isNext = asksForNextTile(place);
  int64_t distance = isNext ? 0 : place.nest.contraction.paddedColumns ? kPanelPrefetchDistance : kRowPrefetchDistance;
  Value later = lanes.builder.createOrFold<arith::AddIOp>(lanes.loc, at.back(), lanes.index(distance));
  ahead[place.reductions.back()] = LaneValue::uniform(later);
  Value next = lanes.index(isNext ? tileColumns(place.nest) : 0);
  place.forEachColumnOperand([&](Value tensor, AffineMap map) {
    constexpr int64_t kLineBits = 512;
    int64_t vectorBits = width * cast<RankedTensorType>(tensor.getType()).getElementTypeBitWidth();
    for (auto [i, column] : llvm::enumerate(columns))
      if (i * vectorBits % kLineBits == 0) {
        ahead[place.laneLoop()] = lanes.add(column, LaneValue::uniform(next));
        SmallVector<LaneValue> index = place.applyMap(map, ahead);
        isNext ? place.emitter.prefetchFar(tensor, index, lanes.index(0)) : place.emitter.prefetch(tensor, index);
      }
  });
}
