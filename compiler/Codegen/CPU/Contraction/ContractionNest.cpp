// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nests of contractions: tiles of `rows` x `vectors` accumulators in registers, the reduction loops around them;
// then whatever consumes the contraction, from the tile in first-level cache.
//
//   for each workgroup: a block of rows x one tile of columns
//     (copy the rows to scratch, unless the workgroup before did)
//     (copy the columns to scratch)
//     for each tile of rows, along one dimension of rows or several
//       accumulators = initial; for each k: accumulators += row scalars x column vectors
//       tile memory = accumulators
//       for each row of the tile: result = epilogue(tile row)
//
// What is long is reduced in blocks (DepthBlocks.h): within a tile of rows, or outside of all of the block's.
#include "compiler/Codegen/CPU/Contraction/ContractionNest.h"

#include "compiler/Codegen/CPU/Contraction/ColumnPanels.h"
#include "compiler/Codegen/CPU/Contraction/Decoding.h"
#include "compiler/Codegen/CPU/Contraction/DepthBlocks.h"
#include "compiler/Codegen/CPU/Contraction/DotProducts.h"
#include "compiler/Codegen/CPU/Contraction/Microkernels.h"
#include "compiler/Codegen/CPU/Contraction/NextColumns.h"
#include "compiler/Codegen/CPU/Contraction/RoundedSums.h"
#include "compiler/Codegen/CPU/Contraction/RowCopy.h"
#include "compiler/Codegen/CPU/Contraction/RowCover.h"
#include "compiler/Codegen/CPU/Contraction/TileEpilogue.h"
#include "compiler/Codegen/CPU/Contraction/TileProducts.h"
#include "compiler/Codegen/Emit/VectorLoops.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

namespace {

Type elementOf(Value tensor) { return cast<RankedTensorType>(tensor.getType()).getElementType(); }

// The tile's decoded columns; null where there are none.
Value decodedPanel(const std::optional<Decoding> &decoding) { return decoding ? decoding->getPanel() : Value(); }

class ContractionEmitter {
public:
  ContractionEmitter(const ContractionPlan &nest, ElementEmitter &emitter, const Buffer &output, Value scratch)
      : nest(nest), config(nest.contraction), emitter(emitter), output(output), scratch(scratch), lanes(emitter.lanes),
        builder(lanes.builder), loc(lanes.loc), op(linalg::GenericOp(nest.step.op)), place(nest, emitter),
        vectors(nest.contraction.vectors), panels(place, scratch), microkernels(place, output), next(place) {
    if (nest.decoding)
      decoding.emplace(place, scratch);
  }

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
    Value offset = builder.createOrFold<arith::AddIOp>(loc, scratch, packedBytes(nest, emitter.scalars));
    RowCopy copy(place, offset);
    emitter.when(isNewBlock, [&] { copy.fill(); });
    copy.bind();
    emitPackedColumns();
    copy.release();
  }

private:
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
    if (config.packing == Packing::Always)
      return emitRowTiles(/*packs=*/true);
    Value rows = emitter.scalars.product(place.space.rowSizes);
    Value many = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, rows,
                                                     lanes.index(kManyRowTiles * config.rows()));
    emitter.either(
        many, [&] { emitRowTiles(/*packs=*/true); },
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

  // `packs`: columns are copied, or decoded, first.
  void emitRowTiles(bool packs = false) {
    if (config.depthOutside)
      return emitDepthOutside(packs);
    if (packs)
      decoding ? decoding->fillPanel() : panels.pack();
    bool isShared = !tileProducts && panels.empty();
    if (isShared && microkernels.storesResult())
      return forEachRowTile(place, TileShape::Run, [&](const RowTile &run) { microkernels.emitRows(run, vectors); });
    if (isShared && microkernels.storesSums())
      return forEachRowTile(place, TileShape::Open, [&](const RowTile &tile) {
        microkernels.emitSums(tile, vectors, tileMemory, products ? &*products : nullptr, decodedPanel(decoding));
        emitEpilogue(tile);
      });
    TileShape shape = tileProducts ? TileShape::Fixed : TileShape::Exact;
    forEachRowTile(place, shape, [&](const RowTile &tile) { emitTile(tile); });
  }

  // All tiles of rows take a block of the reduction, then the next one; then what comes of the sums.
  void emitDepthOutside(bool packs) {
    Value offset = builder.createOrFold<arith::AddIOp>(loc, scratch, packedBytes(nest, emitter.scalars));
    if (nest.copied)
      offset = builder.createOrFold<arith::AddIOp>(loc, offset, RowCopy::bytes(nest, emitter.scalars));
    DepthSums sums(place, offset);
    forEachDepthBlock(place, [&](Value isFirst) {
      if (packs)
        decoding ? decoding->fillPanel() : panels.pack();
      if (!microkernels.storesSums() || !panels.empty())
        return forEachRowTile(place, TileShape::Exact, [&](const RowTile &tile) { addTile(tile, sums, isFirst); });
      forEachRowTile(place, TileShape::Open, [&](const RowTile &tile) {
        microkernels.emitSums(tile, vectors, tileMemory, products ? &*products : nullptr, decodedPanel(decoding));
        sums.addFrom(tile, vectors, tileMemory, isFirst);
      });
    });
    emitTileEpilogue(place, sums.rowsOfBlock(), sums.getMemory(), tileColumns(nest), vectors, output);
  }

  // Adds a tile's sums of the block of the reduction where the place is.
  void addTile(const RowTile &tile, const DepthSums &sums, Value isFirst) {
    isFirstBlock = isFirst;
    auto finish = [&](const RowTile &known, ArrayRef<Value> values) { sums.add(known, vectors, values, isFirst); };
    if (tile.open)
      emitOpenTile(tile, 1, finish);
    else
      finish(tile, computeTile(tile));
    isFirstBlock = nullptr;
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
    if (config.depth > 0) {
      DepthSums sums = DepthSums::ofTile(place, tileMemory);
      forEachDepthBlock(place, [&](Value isFirst) { addTile(tile, sums, isFirst); });
      return emitEpilogue(tile);
    }
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
    next.drop();
    if (nest.rounded)
      return RoundedSums(place).accumulate(dims, vectors, std::move(accumulators));
    if (decoding)
      return decoding->accumulate({dims, masks}, std::move(accumulators));
    if (config.prefetchNext && panels.empty() && !isRest)
      next.begin(tile);
    auto loops = [&](ArrayRef<Value> sizes, ValueRange carried, ReductionBody body) {
      return emitReductionLoops(place, tile, vectors, output, sizes, carried, body);
    };
    return products ? products->accumulate(dims, slots, accumulators, loops)
                    : loops(place.depthExtents, accumulators, [&](ArrayRef<Value> at, ValueRange carried) {
                        return accumulate(dims, masks, place.toReductions(at), carried);
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
    if (!isFirstBlock || startsFromZero(tile))
      return firstAccumulators(tile, dims, masks);
    Type element = elementOf(op->getResult(0));
    Type type = config.width == 1 ? element : VectorType::get({config.width}, element);
    Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    SmallVector<Value> zeros(rows * vectors, zero);
    return emitter.branches(
        isFirstBlock, TypeRange(ValueRange(zeros)), [&] { return firstAccumulators(tile, dims, masks); },
        [&] { return zeros; });
  }

  SmallVector<Value> firstAccumulators(const RowTile &tile, ArrayRef<SmallVector<LaneValue>> dims,
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
    next.ask(dims.front(), at);
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

  void emitEpilogue(const RowTile &tile) {
    emitTileEpilogue(place, tile, tileMemory, vectors * config.width, vectors, output);
  }

  const ContractionPlan &nest;
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
  Value tileMemory;
  Value isFirstBlock;  // of the reduction; null: it has no blocks
  Value isNewBlock;    // of rows: none of its tiles of columns was before in this call
  int64_t vectors = 0; // of the tile being emitted
  ColumnPanels panels;
  std::optional<Decoding> decoding;
  Microkernels microkernels;
  NextColumns next;
  std::optional<DotProducts> products; // of an integer contraction
  std::optional<TileProducts> tileProducts;
};

} // namespace

void mlir::heddle::codegen::emitContraction(const ContractionPlan &nest, ElementEmitter &emitter, Value number,
                                            Value first, const Buffer &output, Value scratch) {
  ContractionEmitter(nest, emitter, output, scratch).run(number, first);
}

void mlir::heddle::codegen::emitContractionTile(const ContractionPlan &nest, ElementEmitter &emitter,
                                                ArrayRef<Value> at, const Buffer &output, Value scratch) {
  ContractionEmitter(nest, emitter, output, scratch).runAt(at);
}

void mlir::heddle::codegen::emitContractionBlock(const ContractionPlan &nest, ElementEmitter &emitter,
                                                 ArrayRef<Value> at, const Buffer &output, Value scratch) {
  ContractionEmitter(nest, emitter, output, scratch).runColumns(at);
}
