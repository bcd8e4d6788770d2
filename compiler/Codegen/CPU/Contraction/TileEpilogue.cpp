// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/CPU/Contraction/TileEpilogue.h"
#include "compiler/Codegen/Emit/VectorLoops.h"
#include "compiler/Codegen/Plan/Nest.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

// The row at `at`, up to column `end` where not all may be there.
static void emitTileRow(const ContractionIndex &place, SmallVector<LaneValue> &at, Value end, int64_t vectors,
                        const Buffer &output) {
  const ContractionPlan &nest = place.nest;
  LaneBuilder &lanes = place.lanes;
  ElementEmitter &emitter = place.emitter;
  int64_t columns = vectors * nest.contraction.width;
  auto store = [&](LaneValue column) {
    at[*nest.laneDim] = column;
    emitter.store(output, at, emitter.evaluate(nest.value, at));
  };
  int64_t width = vectors % 2 == 0 ? 2 * nest.contraction.width : nest.contraction.width; // divides the tile
  if (place.ragged)
    return forEachVector(emitter, place.firstColumn, end, width, nest.masks, store);
  emitter.loop(lanes.index(0), lanes.index(columns), width, {}, [&](Value j, ValueRange) -> SmallVector<Value> {
    Value column = lanes.builder.createOrFold<arith::AddIOp>(lanes.loc, place.firstColumn, j);
    lanes.width = width;
    store(LaneValue::affine(column, width == 1 ? 0 : 1));
    lanes.width = 1;
    return {};
  });
}

void mlir::heddle::codegen::emitTileEpilogue(const ContractionIndex &place, const RowTile &tile, Value sums,
                                             int64_t stride, int64_t vectors, const Buffer &output) {
  const ContractionPlan &nest = place.nest;
  LaneBuilder &lanes = place.lanes;
  OpBuilder &builder = lanes.builder;
  ElementEmitter &emitter = place.emitter;
  Value result = linalg::GenericOp(place.op).getResult(0);
  Buffer memory{sums, cast<RankedTensorType>(result.getType()).getElementType(), {}, {}, {}};
  auto addDim = [&](unsigned dim, int64_t elements, Value origin) {
    // The tile is indexed as the op's result is.
    auto position = llvm::find(nest.step.position, static_cast<int64_t>(dim));
    memory.dims.push_back(position - nest.step.position.begin());
    memory.strides.push_back(lanes.index(elements));
    memory.origin.push_back(origin);
  };
  for (size_t i = nest.tileDims.size(); i-- > 0; stride *= tile.extent[i])
    addDim(nest.tileDims[i], stride, tile.begin[i]);
  addDim(*nest.laneDim, 1, place.firstColumn);
  emitter.bind(result, memory);
  emitter.loops(tile.count, {}, [&](ArrayRef<Value> row, ValueRange) -> SmallVector<Value> {
    SmallVector<LaneValue> at = place.index;
    for (auto [dim, begin, skip, i] : llvm::zip_equal(nest.tileDims, tile.begin, tile.skip, row)) {
      Value first = builder.createOrFold<arith::AddIOp>(lanes.loc, begin, lanes.index(skip));
      at[dim] = LaneValue::uniform(builder.createOrFold<arith::AddIOp>(lanes.loc, first, i));
    }
    Value columns = lanes.index(vectors * nest.contraction.width);
    Value end = builder.createOrFold<arith::AddIOp>(lanes.loc, place.firstColumn, columns);
    if (place.ragged)
      end = builder.createOrFold<arith::MinSIOp>(lanes.loc, end, place.space.columns);
    emitTileRow(place, at, end, vectors, output);
    return {};
  });
  emitter.unbind(result);
}
