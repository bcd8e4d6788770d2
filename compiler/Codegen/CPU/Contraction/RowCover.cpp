// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/CPU/Contraction/RowCover.h"

using namespace mlir;
using namespace mlir::heddle::codegen;

namespace {

class RowCover {
public:
  RowCover(const ContractionIndex &place, TileShape shape, function_ref<void(const RowTile &)> body)
      : place(place), shape(shape), body(body), lanes(place.lanes), builder(lanes.builder), loc(lanes.loc) {}

  // Covers the dimensions that `tile` does not say yet.
  void cover(const RowTile &tile) {
    size_t dim = tile.extent.size();
    if (dim == place.nest.tileDims.size())
      return body(tile);
    int64_t extent = place.nest.contraction.tile[dim];
    std::optional<int64_t> size = getConstant(place.space.rowSizes[dim]);
    Value begin = place.blockBegin[dim], end = place.blockEnd[dim], count = sub(end, begin);
    int64_t rest = size ? *size % extent : 0;
    Value left = size && rest == 0 ? index(0) : builder.createOrFold<arith::RemUIOp>(loc, count, index(extent));
    Value full = sub(end, left), whole = index(extent);
    if (shape == TileShape::Run && dim + 1 == place.nest.tileDims.size())
      return addRun(tile, begin, count, extent);
    if (size) {
      if (*size >= extent)
        addTiles(tile, begin, full, extent, extent, whole);
      if (rest > 0 && shape == TileShape::Fixed)
        addTiles(tile, full, end, rest, extent, index(rest), extent - rest);
      else if (rest > 0)
        addTiles(tile, full, end, rest, rest, index(rest));
      return;
    }
    if (extent > 1 && canBeOpen(tile)) {
      full = sub(full, sharedRows(left, count, extent));
      if (shape == TileShape::Open)
        return addOpenTiles(tile, begin, full, end, extent);
      addTiles(tile, begin, full, extent, extent, whole);
      return addRest(tile, full, end, extent);
    }
    addTiles(tile, begin, full, extent, extent, whole);
    RowTile last = tile;
    last.clamp = true;
    if (extent > 1)
      addTiles(last, full, end, extent, extent, left);
  }

private:
  // Tiles of `extent` rows that begin each `step` rows.
  void addTiles(const RowTile &tile, Value from, Value to, int64_t step, int64_t extent, Value count,
                int64_t skip = 0) {
    place.emitter.loop(from, to, step, {}, [&](Value row, ValueRange) -> SmallVector<Value> {
      RowTile next = tile;
      next.begin.push_back(sub(row, index(skip)));
      next.skip.push_back(skip);
      next.extent.push_back(extent);
      next.count.push_back(count);
      cover(next);
      return {};
    });
  }

  void addRun(RowTile tile, Value begin, Value count, int64_t extent) {
    tile.begin.push_back(begin);
    tile.count.push_back(count);
    tile.skip.push_back(0);
    tile.extent.push_back(extent);
    body(tile);
  }

  bool canBeOpen(const RowTile &tile) const {
    return shape != TileShape::Fixed && !tile.clamp && !tile.open &&
           llvm::all_of(tile.extent, [](int64_t outer) { return outer == 1; });
  }

  // The rows of the last full tile, where it shares them with the `left` ones behind it, or none. A tile that lacks one
  // row is a tile by itself: so neither half is a full one.
  Value sharedRows(Value left, Value count, int64_t extent) {
    Value isSome = compare(arith::CmpIPredicate::ne, left, 0);
    Value isShort = compare(arith::CmpIPredicate::ult, left, extent - 1);
    Value isBehindOne = compare(arith::CmpIPredicate::uge, count, extent);
    Value shares = builder.createOrFold<arith::AndIOp>(loc, isSome, isShort);
    return select(builder.createOrFold<arith::AndIOp>(loc, shares, isBehindOne), index(extent), index(0));
  }

  // One open tile of `rest` rows, or two of about as many, or none.
  struct RestTiles {
    Value rows, tiles; // of the first one; how many
  };
  RestTiles countRest(Value rest, int64_t extent) {
    Value one = index(1);
    Value half = builder.createOrFold<arith::ShRUIOp>(loc, builder.createOrFold<arith::AddIOp>(loc, rest, one), one);
    Value isTwo = compare(arith::CmpIPredicate::uge, rest, extent);
    return {select(isTwo, half, rest), select(isTwo, index(2), builder.createOrFold<arith::MinUIOp>(loc, rest, one))};
  }

  // Full tiles up to `full`, then the rest.
  void addOpenTiles(const RowTile &tile, Value begin, Value full, Value end, int64_t extent) {
    auto [rows, restTiles] = countRest(sub(end, full), extent);
    Value fullTiles = builder.createOrFold<arith::DivUIOp>(loc, sub(full, begin), index(extent));
    Value tiles = builder.createOrFold<arith::AddIOp>(loc, fullTiles, restTiles);
    place.emitter.loop(index(0), tiles, 1, {}, [&, rows = rows](Value number, ValueRange) -> SmallVector<Value> {
      Value isFull = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, number, fullTiles);
      Value skipped = builder.createOrFold<arith::MulIOp>(loc, number, index(extent));
      Value behind = builder.createOrFold<arith::MulIOp>(loc, sub(number, fullTiles), rows);
      RowTile next = tile;
      next.begin.push_back(
          builder.createOrFold<arith::AddIOp>(loc, select(isFull, begin, full), select(isFull, skipped, behind)));
      Value left = builder.createOrFold<arith::MinUIOp>(loc, sub(end, next.begin.back()), rows);
      next.count.push_back(select(isFull, index(extent), left));
      next.skip.push_back(0);
      next.extent.push_back(extent);
      next.open = next.extent.size() - 1;
      cover(next);
      return {};
    });
  }

  // The rows from `begin` on, less than two tiles.
  void addRest(const RowTile &tile, Value begin, Value end, int64_t extent) {
    Value rest = sub(end, begin);
    auto [rows, tiles] = countRest(rest, extent);
    place.emitter.loop(index(0), tiles, 1, {}, [&, rows = rows](Value number, ValueRange) -> SmallVector<Value> {
      RowTile next = tile;
      Value skipped = builder.createOrFold<arith::MulIOp>(loc, number, rows);
      next.begin.push_back(builder.createOrFold<arith::AddIOp>(loc, begin, skipped));
      next.count.push_back(builder.createOrFold<arith::MinUIOp>(loc, sub(rest, skipped), rows));
      next.skip.push_back(0);
      next.extent.push_back(extent - 1);
      next.open = next.extent.size() - 1;
      cover(next);
      return {};
    });
  }

  Value index(int64_t value) { return lanes.index(value); }
  Value sub(Value a, Value b) { return builder.createOrFold<arith::SubIOp>(loc, a, b); }
  Value compare(arith::CmpIPredicate predicate, Value a, int64_t b) {
    return builder.createOrFold<arith::CmpIOp>(loc, predicate, a, index(b));
  }
  Value select(Value condition, Value a, Value b) {
    return builder.createOrFold<arith::SelectOp>(loc, condition, a, b);
  }

  const ContractionIndex &place;
  TileShape shape;
  function_ref<void(const RowTile &)> body;
  LaneBuilder &lanes;
  OpBuilder &builder;
  Location loc;
};

} // namespace

void mlir::heddle::codegen::forEachRowTile(const ContractionIndex &place, TileShape shape,
                                           function_ref<void(const RowTile &)> body) {
  RowCover(place, shape, body).cover({});
}
