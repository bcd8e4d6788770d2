// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nests of kind Contraction: tiles of `rows` x `vectors` accumulators in registers, the reduction loops around them;
// then whatever consumes the contraction, from the tile in first-level cache.
//
//   for each workgroup: a block of rows x one tile of columns
//     (copy the rows to scratch, unless the workgroup before did)
//     (copy the columns to scratch)
//     for each tile of rows, along one dimension of rows or several
//       accumulators = initial; for each k: accumulators += row scalars x column vectors
//       tile memory = accumulators
//       for each row of the tile: result = epilogue(tile row)
#include "compiler/Codegen/CPU/ColumnPanels.h"
#include "compiler/Codegen/CPU/DotProducts.h"
#include "compiler/Codegen/CPU/Microkernels.h"
#include "compiler/Codegen/CPU/RowCopy.h"
#include "compiler/Codegen/CPU/RowCover.h"
#include "compiler/Codegen/CPU/TileProducts.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

namespace {

Type elementOf(Value tensor) { return cast<RankedTensorType>(tensor.getType()).getElementType(); }

class ContractionEmitter {
public:
  ContractionEmitter(const Nest &nest, ElementEmitter &emitter, const Buffer &output, Value scratch)
      : nest(nest), config(nest.contraction), emitter(emitter), output(output), scratch(scratch), lanes(emitter.lanes),
        builder(lanes.builder), loc(lanes.loc), op(linalg::GenericOp(nest.steps.front().op)), place(nest, emitter),
        vectors(nest.contraction.vectors), panels(place, scratch), microkernels(place, output) {}

  void run(Value workgroup, Value first) {
    SmallVector<Value> at = delinearize(emitter, workgroup, place.space.grid);
    if (config.copiesRows) {
      auto equal = [&](Value a, Value b) {
        return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, a, b);
      };
      isNewBlock = builder.createOrFold<arith::OrIOp>(loc, equal(workgroup, first), equal(at.back(), lanes.index(0)));
    }
    runAt(at);
  }

  // All tiles of columns; `at` has the other positions in the grid.
  void runColumns(ArrayRef<Value> at) {
    emitter.loop(lanes.index(0), place.space.grid.back(), 1, {}, [&](Value columns, ValueRange) -> SmallVector<Value> {
      SmallVector<Value> position(at);
      position.push_back(columns);
      runAt(position);
      return {};
    });
  }

private:
  void runAt(ArrayRef<Value> at) {
    place.moveTo(at);
    makeTileMemory();
    if (nest.usesTileRegisters()) {
      tileProducts.emplace(nest, emitter, scratch);
      tileProducts->prepare({place.tileDims(place.blockBegin), place.laneLoop(), place.firstColumn, place.columnsLeft,
                             place.ragged, vectors});
      return emitRowTiles();
    }
    if (nest.integer)
      return emitIntegerColumns();
    if (!nest.copied)
      return emitPackedColumns();
    Value offset = scratch;
    for (unsigned operand : nest.packed)
      offset = builder.createOrFold<arith::AddIOp>(loc, offset, panelBytes(nest, operand, emitter.scalars));
    RowCopy copy(place, offset);
    emitter.when(isNewBlock, [&] { copy.fill(); });
    copy.bind();
    emitPackedColumns();
    copy.release();
  }

  void emitIntegerColumns() {
    products.emplace(nest, emitter, scratch);
    if (config.copiesRows)
      emitter.when(isNewBlock, [&] {
        place.forEachBlockRow([&](ArrayRef<Value> row) { products->packRow(place.tileDims(row), place.slotOf(row)); });
      });
    emitFullAndLast([&] {
      products->prepare({place.tileDims(place.blockBegin), place.laneLoop(), place.firstColumn, place.columnsLeft,
                         place.ragged, vectors});
      emitRowTiles();
    });
  }

  void emitPackedColumns() {
    if (config.packing == Packing::Never)
      return emitFullAndLast([&] { emitRowTiles(); });
    if (config.packing == Packing::Always) {
      panels.pack();
      return emitRowTiles();
    }
    Value rows = emitter.scalars.product(place.space.rowSizes);
    Value many = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, rows,
                                                     lanes.index(kManyRowTiles * config.rows()));
    emitter.either(
        many,
        [&] {
          panels.pack();
          emitRowTiles();
        },
        [&] {
          panels.drop();
          emitFullAndLast([&] { emitRowTiles(); });
        });
  }

  Value mul(Value value, int64_t factor) {
    return builder.createOrFold<arith::MulIOp>(loc, value, lanes.index(factor));
  }

  // Only the last tile of columns is narrower, or has lanes that are off. Where that would be much code twice, and the
  // last tile is as wide as the others, all have masks.
  void emitFullAndLast(function_ref<void()> body) {
    bool isLong = !microkernels.storesResult() && !microkernels.storesSums() && place.writesOutRows();
    if (!place.ragged || !nest.masks || (config.lastVectors == 0 && isLong))
      return body();
    Value full = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, place.columnsLeft,
                                                     lanes.index(tileColumns(nest)));
    emitter.either(
        full,
        [&] {
          place.ragged = false;
          body();
        },
        [&] {
          // A tile that stays as wide as the others has vectors past the last column.
          place.ragged = config.lastVectors == 0 || *getConstant(place.space.columns) % config.width != 0;
          if (config.lastVectors > 0)
            vectors = config.lastVectors;
          body();
        });
  }

  void emitRowTiles() {
    bool isShared = !tileProducts && panels.empty();
    if (isShared && microkernels.storesResult())
      return forEachRowTile(place, TileShape::Run, [&](const RowTile &run) { microkernels.emitRows(run, vectors); });
    if (isShared && microkernels.storesSums())
      return forEachRowTile(place, TileShape::Open, [&](const RowTile &tile) {
        microkernels.emitSums(tile, vectors, tileMemory, products ? &*products : nullptr);
        emitEpilogue(tile);
      });
    TileShape shape = tileProducts ? TileShape::Fixed : TileShape::Exact;
    forEachRowTile(place, shape, [&](const RowTile &tile) { emitTile(tile); });
  }

  void makeTileMemory() {
    OpBuilder &entry = emitter.scalars.getEntry();
    Type element = elementOf(op->getResult(0));
    auto type = MemRefType::get({config.rows() * tileColumns(nest)}, element);
    Value alloca = memref::AllocaOp::create(entry, loc, type, entry.getI64IntegerAttr(64));
    auto flat = MemRefType::get({ShapedType::kDynamic}, element);
    tileMemory = memref::CastOp::create(entry, loc, flat, alloca);
  }

  //===--- Tiles --------------------------------------------------------------------------------------------------===//

  // The sums of a tile, one row of columns after the other.
  Buffer flatTile() { return {tileMemory, elementOf(op->getResult(0)), {0}, {lanes.index(1)}, {Value()}}; }

  LaneValue initialValue(ArrayRef<LaneValue> dims, LaneValue column) {
    OpOperand *init = op.getDpsInitOperand(0);
    SmallVector<LaneValue> at(dims), where;
    at[place.laneLoop()] = column;
    for (AffineExpr expr : op.getMatchingIndexingMap(init).getResults())
      where.push_back(lanes.apply(expr, at));
    return emitter.evaluate(init->get(), where);
  }

  bool startsFromZero(const RowTile &tile) {
    LaneValue first = initialValue(place.tileDims(tile.begin), LaneValue::uniform(place.firstColumn));
    return matchPattern(first.base, m_Zero()) || matchPattern(first.base, m_AnyZeroFloat());
  }

  // Puts the sums' first values in the tile's memory.
  void storeInitial(const RowTile &tile) {
    Buffer memory = flatTile();
    SmallVector<Value> rowsOfTile = llvm::map_to_vector(tile.extent, [&](int64_t e) { return lanes.index(e); });
    Value end = builder.createOrFold<arith::AddIOp>(loc, place.firstColumn, lanes.index(tileColumns(nest)));
    if (place.ragged)
      end = builder.createOrFold<arith::MinSIOp>(loc, end, place.space.columns);
    emitter.loops(rowsOfTile, {}, [&](ArrayRef<Value> offset, ValueRange) -> SmallVector<Value> {
      Value slot = lanes.index(0);
      SmallVector<Value> row;
      for (auto [i, begin, extent, size] : llvm::zip_equal(offset, tile.begin, tile.extent, place.space.rowSizes)) {
        slot = builder.createOrFold<arith::AddIOp>(loc, mul(slot, extent), i);
        Value last = builder.createOrFold<arith::SubIOp>(loc, size, lanes.index(1));
        Value at = builder.createOrFold<arith::AddIOp>(loc, begin, i);
        row.push_back(tile.clamp ? builder.createOrFold<arith::MinSIOp>(loc, at, last) : at);
      }
      SmallVector<LaneValue> dims = place.tileDims(row);
      Value base = builder.createOrFold<arith::SubIOp>(loc, mul(slot, tileColumns(nest)), place.firstColumn);
      forEachVector(emitter, place.firstColumn, end, config.width, nest.masks, [&](LaneValue column) {
        emitter.store(memory, lanes.add(column, LaneValue::uniform(base)), initialValue(dims, column));
      });
      return {};
    });
  }

  void emitRegisterTile(const RowTile &tile) {
    SmallVector<Value> last;
    if (tile.clamp)
      for (Value size : place.space.rowSizes)
        last.push_back(builder.createOrFold<arith::SubIOp>(loc, size, lanes.index(1)));
    bool zero = startsFromZero(tile);
    if (!zero)
      storeInitial(tile);
    tileProducts->accumulate({tile.begin, last, [&](ArrayRef<Value> row) { return place.tileDims(row); }}, tileMemory,
                             zero);
    emitEpilogue(tile);
  }

  void emitTile(const RowTile &tile) {
    if (tileProducts)
      return emitRegisterTile(tile);
    bool fromRegisters = storesFromRegisters(tile);
    auto finish = [&](const RowTile &known, ArrayRef<Value> sums) {
      fromRegisters ? storeTile(known, sums) : keepTile(sums);
    };
    if (tile.open)
      emitOpenTile(tile, 1, finish);
    else
      finish(tile, computeTile(tile));
    if (!fromRegisters)
      emitEpilogue(tile);
  }

  // The sums of an open tile of `least` rows or more: code for each number of rows, `finish` after it.
  void emitOpenTile(const RowTile &tile, int64_t least, function_ref<void(const RowTile &, ArrayRef<Value>)> finish) {
    auto exact = [&] {
      RowTile known = tile;
      known.extent[*tile.open] = least;
      known.count[*tile.open] = lanes.index(least);
      known.open.reset();
      finish(known, computeTile(known, /*isRest=*/true));
    };
    if (least == tile.extent[*tile.open])
      return exact();
    Value isLeast =
        builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, tile.count[*tile.open], lanes.index(least));
    emitter.either(isLeast, exact, [&] { emitOpenTile(tile, least + 1, finish); });
  }

  // The sums of the tile, its first row's vectors first. The rest of a block asks for no columns of the next tile.
  SmallVector<Value> computeTile(const RowTile &tile, bool isRest = false) {
    rows = tile.rows();
    SmallVector<SmallVector<LaneValue>> dims;
    SmallVector<Value> slots;
    for (ArrayRef<Value> row : place.tileRows(tile)) {
      dims.push_back(place.tileDims(row));
      slots.push_back(place.slotOf(row));
    }
    SmallVector<Value> masks;
    for (int64_t vector = 0; vector < vectors; ++vector)
      masks.push_back(nest.masks ? place.columnMask(vector) : Value());
    SmallVector<Value> accumulators = initialAccumulators(tile, dims, masks);
    if (config.paddedColumns && !products)
      masks.assign(vectors, Value());
    nextColumns = {};
    if (config.prefetchNext && panels.empty() && !isRest)
      nextColumns = findNextColumns(tile);
    auto loops = [&](ArrayRef<Value> sizes, ValueRange carried, ReductionBody body) {
      return emitReductionLoops(place, tile, vectors, output, sizes, carried, body);
    };
    return products ? products->accumulate(dims, slots, accumulators, loops)
                    : loops(place.extents, accumulators, [&](ArrayRef<Value> at, ValueRange carried) {
                        return accumulate(dims, masks, at, carried);
                      });
  }

  // Stores the sums of a tile to its memory.
  void keepTile(ArrayRef<Value> sums) {
    Buffer memory = flatTile();
    lanes.width = config.width;
    for (auto [i, sum] : llvm::enumerate(sums))
      emitter.store(memory, LaneValue::affine(lanes.index(i * config.width), config.width == 1 ? 0 : 1),
                    config.width == 1 ? LaneValue::uniform(sum) : LaneValue::any(sum));
    lanes.width = 1;
  }

  // An epilogue of a few ops is written out for each accumulator: nothing goes through memory. For each number of rows
  // of an open tile.
  bool storesFromRegisters(const RowTile &tile) {
    constexpr int64_t kMostOps = 320; // of the tile's code
    int64_t written = tile.open ? tile.rows() * (tile.rows() + 1) / 2 : tile.rows();
    bool whole = !tile.clamp && llvm::all_of(tile.skip, [](int64_t skip) { return skip == 0; });
    if (!config.storesFromRegisters || !whole || config.width == 1 || (place.ragged && !nest.masks))
      return false;
    std::optional<int64_t> ops = codegen::countEpilogue(nest.value, op);
    return ops && written * vectors * (*ops + 1) <= kMostOps;
  }

  void storeTile(const RowTile &tile, ArrayRef<Value> accumulators) {
    SmallVector<LaneValue> columns;
    SmallVector<Value> masks;
    for (int64_t vector = 0; vector < vectors; ++vector) {
      columns.push_back(place.columnLanes(vector));
      masks.push_back(place.columnMask(vector));
    }
    for (auto [i, row] : llvm::enumerate(place.tileRows(tile)))
      for (int64_t vector = 0; vector < vectors; ++vector) {
        SmallVector<LaneValue> at = place.index;
        for (auto [dim, position] : llvm::zip_equal(nest.tileDims, row))
          at[dim] = LaneValue::uniform(position);
        at[*nest.laneDim] = columns[vector];
        lanes.width = config.width;
        lanes.mask = masks[vector];
        emitter.bind(op->getResult(0), LaneValue::any(accumulators[i * vectors + vector]));
        emitter.store(output, at, emitter.evaluate(nest.value, at));
        emitter.unbind(op->getResult(0));
      }
    lanes.width = 1;
    lanes.mask = {};
  }

  // Calls `body(row, vector)` with the lanes set, for each accumulator; collects what it gives.
  SmallVector<Value> forEachAccumulator(ArrayRef<Value> masks, function_ref<LaneValue(int64_t, int64_t)> body) {
    SmallVector<Value> values;
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t vector = 0; vector < vectors; ++vector) {
        lanes.width = config.width;
        lanes.mask = masks[vector];
        values.push_back(config.width == 1 ? body(i, vector).base : lanes.toVector(body(i, vector)));
      }
    lanes.width = 1;
    lanes.mask = {};
    return values;
  }

  SmallVector<Value> initialAccumulators(const RowTile &tile, ArrayRef<SmallVector<LaneValue>> dims,
                                         ArrayRef<Value> masks) {
    // Without masks vectors of the last tile would read past the end.
    bool throughMemory =
        place.ragged && !nest.masks &&
        !initialValue(dims[0], LaneValue::uniform(place.firstColumn)).base.getDefiningOp<arith::ConstantOp>();
    if (throughMemory)
      storeInitial(tile);
    return forEachAccumulator(masks, [&](int64_t i, int64_t vector) {
      if (!throughMemory)
        return initialValue(dims[i], place.columnLanes(vector));
      Value from = lanes.index((i * vectors + vector) * config.width);
      auto type = VectorType::get({config.width}, elementOf(op->getResult(0)));
      return LaneValue::any(vector::LoadOp::create(builder, loc, type, tileMemory, ValueRange{from}));
    });
  }

  SmallVector<Value> accumulate(ArrayRef<SmallVector<LaneValue>> dims, ArrayRef<Value> masks, ArrayRef<Value> at,
                                ValueRange carried) {
    SmallVector<LaneValue> columns;
    for (int64_t vector = 0; vector < vectors; ++vector)
      columns.push_back(place.columnLanes(vector));
    if (panels.empty())
      prefetchColumns(place, dims.front(), columns, at);
    if (nextColumns)
      prefetchNextColumns(dims.front(), at);
    DenseMap<std::pair<unsigned, int64_t>, LaneValue> loaded; // of panels
    return forEachAccumulator(masks, [&](int64_t i, int64_t vector) {
      SmallVector<LaneValue> inner(dims[i]);
      inner[place.laneLoop()] = columns[vector];
      for (auto [dim, k] : llvm::zip(place.reductions, at))
        inner[dim] = LaneValue::uniform(k);
      DenseMap<Value, LaneValue> arguments;
      Value accumulator = carried[i * vectors + vector];
      arguments[op.getRegionOutputArgs()[0]] =
          config.width == 1 ? LaneValue::uniform(accumulator) : LaneValue::any(accumulator);
      panels.forEach([&](unsigned operand) {
        LaneValue &column = loaded[{operand, vector}];
        if (!column.vector)
          column = panels.load(operand, inner, vector);
        arguments[op.getMatchingBlockArgument(&op->getOpOperand(operand))] = column;
      });
      return emitter.evaluateBody(op, inner, arguments)[0];
    });
  }

  // The element of the next tile of columns from which on this tile of rows asks for its share of them.
  Value findNextColumns(const RowTile &tile) {
    Value row = lanes.index(0);
    for (auto [at, begin, block] : llvm::zip_equal(tile.begin, place.blockBegin, config.block))
      row = builder.createOrFold<arith::AddIOp>(loc, mul(row, block),
                                                builder.createOrFold<arith::SubIOp>(loc, at, begin));
    FunctionScalars &scalars = emitter.scalars;
    Value elements = scalars.mul(scalars.product(place.extents), scalars.constant(tileColumns(nest)));
    Value share = scalars.divide(elements, scalars.constant(config.blockRows()));
    return builder.createOrFold<arith::MulIOp>(loc, row, share);
  }

  void prefetchNextColumns(ArrayRef<LaneValue> dims, ArrayRef<Value> at) {
    Value step = lanes.index(0);
    for (auto [i, extent] : llvm::zip_equal(at, place.extents))
      step = builder.createOrFold<arith::AddIOp>(loc, builder.createOrFold<arith::MulIOp>(loc, step, extent), i);
    int64_t perStep = llvm::divideCeil(rows * tileColumns(nest), config.blockRows());
    Value distance = builder.createOrFold<arith::AddIOp>(loc, nextColumns, mul(step, perStep));
    SmallVector<LaneValue> next(dims);
    next[place.laneLoop()] =
        LaneValue::uniform(builder.createOrFold<arith::AddIOp>(loc, place.firstColumn, lanes.index(tileColumns(nest))));
    place.forEachColumnOperand(
        [&](Value columns, AffineMap map) { emitter.prefetchFar(columns, place.applyMap(map, next), distance); });
  }

  void emitEpilogue(const RowTile &tile) {
    Buffer memory{tileMemory, elementOf(op->getResult(0)), {}, {}, {}};
    auto addDim = [&](unsigned dim, int64_t stride, Value origin) {
      // The tile is indexed as the op's result is.
      auto position = llvm::find(nest.steps.front().position, static_cast<int64_t>(dim));
      memory.dims.push_back(position - nest.steps.front().position.begin());
      memory.strides.push_back(lanes.index(stride));
      memory.origin.push_back(origin);
    };
    int64_t stride = vectors * config.width;
    for (size_t i = nest.tileDims.size(); i-- > 0; stride *= tile.extent[i])
      addDim(nest.tileDims[i], stride, tile.begin[i]);
    addDim(*nest.laneDim, 1, place.firstColumn);
    emitter.bind(op->getResult(0), memory);
    emitter.loops(tile.count, {}, [&](ArrayRef<Value> row, ValueRange) -> SmallVector<Value> {
      SmallVector<LaneValue> at = place.index;
      for (auto [dim, begin, skip, i] : llvm::zip_equal(nest.tileDims, tile.begin, tile.skip, row)) {
        Value first = builder.createOrFold<arith::AddIOp>(loc, begin, lanes.index(skip));
        at[dim] = LaneValue::uniform(builder.createOrFold<arith::AddIOp>(loc, first, i));
      }
      Value end = builder.createOrFold<arith::AddIOp>(loc, place.firstColumn, lanes.index(vectors * config.width));
      if (place.ragged)
        end = builder.createOrFold<arith::MinSIOp>(loc, end, place.space.columns);
      emitRow(at, end);
      return {};
    });
    emitter.unbind(op->getResult(0));
  }

  void emitRow(SmallVector<LaneValue> &at, Value end) {
    auto store = [&](LaneValue column) {
      at[*nest.laneDim] = column;
      emitter.store(output, at, emitter.evaluate(nest.value, at));
    };
    int64_t width = vectors % 2 == 0 ? 2 * config.width : config.width; // divides the tile
    if (place.ragged)
      return forEachVector(emitter, place.firstColumn, end, width, nest.masks, store);
    emitter.loop(
        lanes.index(0), lanes.index(vectors * config.width), width, {}, [&](Value j, ValueRange) -> SmallVector<Value> {
          lanes.width = width;
          store(LaneValue::affine(builder.createOrFold<arith::AddIOp>(loc, place.firstColumn, j), width == 1 ? 0 : 1));
          lanes.width = 1;
          return {};
        });
  }

  const Nest &nest;
  const ContractionConfig &config;
  ElementEmitter &emitter;
  const Buffer &output;
  Value scratch;
  LaneBuilder &lanes;
  OpBuilder &builder;
  Location loc;
  linalg::GenericOp op;
  ContractionIndex place;
  int64_t rows = 0; // of the tile being emitted
  Value tileMemory, nextColumns;
  Value isNewBlock;    // of rows: none of its tiles of columns was before in this call
  int64_t vectors = 0; // of the tile being emitted
  ColumnPanels panels;
  Microkernels microkernels;
  std::optional<DotProducts> products; // of an integer contraction
  std::optional<TileProducts> tileProducts;
};

} // namespace

void mlir::heddle::codegen::emitContraction(const Nest &nest, ElementEmitter &emitter, Value workgroup, Value first,
                                            const Buffer &output, Value scratch) {
  ContractionEmitter(nest, emitter, output, scratch).run(workgroup, first);
}

void mlir::heddle::codegen::emitContractionBlock(const Nest &nest, ElementEmitter &emitter, ArrayRef<Value> at,
                                                 const Buffer &output, Value scratch) {
  ContractionEmitter(nest, emitter, output, scratch).runColumns(at);
}
