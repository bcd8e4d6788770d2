// Nests of kind Contraction: tiles of `rows` x `vectors` accumulators in registers, the reduction loops around them;
// then whatever consumes the contraction, from the tile in first-level cache.
//
//   for each workgroup: a block of rows x one tile of columns
//     (copy the columns to scratch)
//     for each tile of rows, along one dimension of rows or several
//       accumulators = initial; for each k: accumulators += row scalars x column vectors
//       tile memory = accumulators
//       for each row of the tile: result = epilogue(tile row)
#include "compiler/Codegen/ContractionSpace.h"
#include "compiler/Codegen/DotProducts.h"
#include "compiler/Codegen/IR/KernelOps.h"
#include "compiler/Codegen/TileProducts.h"
#include "compiler/Codegen/TurnedPanels.h"

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
        builder(lanes.builder), loc(lanes.loc), op(linalg::GenericOp(nest.steps.front().op)),
        space(nest, emitter.scalars), extents(reductionSizes(op, emitter.scalars)), vectors(nest.contraction.vectors) {
    op.getReductionDims(reductions);
  }

  void run(Value workgroup) { runAt(delinearize(emitter, workgroup, space.grid)); }

  // All tiles of columns; `at` has the other positions in the grid.
  void runColumns(ArrayRef<Value> at) {
    emitter.loop(lanes.index(0), space.grid.back(), 1, {}, [&](Value columns, ValueRange) -> SmallVector<Value> {
      SmallVector<Value> position(at);
      position.push_back(columns);
      runAt(position);
      return {};
    });
  }

private:
  void runAt(ArrayRef<Value> at) {
    index.assign(cast<RankedTensorType>(nest.value.getType()).getRank(), lanes.constant(0));
    for (auto [dim, i] : llvm::zip(nest.batchDims, at))
      index[dim] = LaneValue::uniform(i);
    firstColumn = mul(at.back(), tileColumns(nest));
    columnsLeft = builder.createOrFold<arith::SubIOp>(loc, space.columns, firstColumn);
    std::optional<int64_t> columns = getConstant(space.columns);
    ragged = !columns || *columns % tileColumns(nest) != 0;
    makeTileMemory();
    for (auto [i, block, size] :
         llvm::zip_equal(at.drop_front(nest.batchDims.size()).drop_back(), config.block, space.rowSizes)) {
      blockBegin.push_back(mul(i, block));
      Value after = builder.createOrFold<arith::AddIOp>(loc, blockBegin.back(), lanes.index(block));
      blockEnd.push_back(builder.createOrFold<arith::MinSIOp>(loc, after, size));
      if (getConstant(size) && *getConstant(size) % block == 0)
        blockEnd.back() = after;
    }
    if (nest.usesTileRegisters()) {
      tileProducts.emplace(nest, emitter, scratch);
      tileProducts->prepare({tileDims(blockBegin), laneLoop(), firstColumn, columnsLeft, ragged});
      return emitRowTiles();
    }
    if (nest.integer) {
      products.emplace(nest, emitter, scratch);
      products->prepare({tileDims(blockBegin), laneLoop(), firstColumn, columnsLeft, ragged});
      return emitRowTiles();
    }
    if (config.packing == Packing::Never)
      return emitColumns();
    if (config.packing == Packing::Always) {
      packPanels();
      return emitRowTiles();
    }
    Value one = lanes.index(1), zero = lanes.index(0);
    Value rows = emitter.scalars.product(space.rowSizes);
    Value many = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, rows,
                                       lanes.index(kManyRowTiles * config.rows()));
    auto when = [&](Value condition, function_ref<void()> body) {
      Value times = arith::SelectOp::create(builder, loc, condition, one, zero);
      emitter.loop(zero, times, 1, {}, [&](Value, ValueRange) -> SmallVector<Value> {
        body();
        return {};
      });
    };
    when(many, [&] {
      packPanels();
      emitRowTiles();
    });
    panels.clear();
    Value few = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, rows,
                                      lanes.index(kManyRowTiles * config.rows()));
    when(few, [&] { emitColumns(); });
  }

  Value mul(Value value, int64_t factor) {
    return builder.createOrFold<arith::MulIOp>(loc, value, lanes.index(factor));
  }

  // Only the last tile of columns is narrower, or has lanes that are off.
  void emitColumns() {
    if (!ragged || !nest.masks)
      return emitRowTiles();
    Value full = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, columnsLeft,
                                                     lanes.index(tileColumns(nest)));
    emitter.either(
        full,
        [&] {
          ragged = false;
          emitRowTiles();
        },
        [&] {
          // A tile that stays as wide as the others has vectors past the last column.
          ragged = config.lastVectors == 0 || *getConstant(space.columns) % config.width != 0;
          if (config.lastVectors > 0)
            vectors = config.lastVectors;
          emitRowTiles();
        });
  }

  // Covers the block by tiles: full ones, then smaller ones along a dimension whose size is known, else full ones of
  // which the last rows are left out.
  void emitRowTiles(RowTile tile = {}) {
    size_t dim = tile.extent.size();
    if (dim == nest.tileDims.size())
      return emitTile(tile);
    int64_t extent = config.tile[dim];
    std::optional<int64_t> size = getConstant(space.rowSizes[dim]);
    Value begin = blockBegin[dim], end = blockEnd[dim];
    int64_t rest = size ? *size % extent : 0;
    auto count = builder.createOrFold<arith::SubIOp>(loc, end, begin);
    Value left =
        size && rest == 0 ? lanes.index(0) : builder.createOrFold<arith::RemUIOp>(loc, count, lanes.index(extent));
    Value full = builder.createOrFold<arith::SubIOp>(loc, end, left);
    auto tiles = [&](Value from, Value to, int64_t step, int64_t rows, Value count, bool clamp, int64_t skip = 0) {
      emitter.loop(from, to, step, {}, [&](Value row, ValueRange) -> SmallVector<Value> {
        RowTile next = tile;
        next.begin.push_back(builder.createOrFold<arith::SubIOp>(loc, row, lanes.index(skip)));
        next.skip.push_back(skip);
        next.extent.push_back(rows);
        next.count.push_back(count);
        next.clamp |= clamp;
        emitRowTiles(next);
        return {};
      });
    };
    if (!size || *size >= extent)
      tiles(begin, full, extent, extent, lanes.index(extent), false);
    if (!size)
      tiles(full, end, extent, extent, left, true);
    else if (rest > 0 && tileProducts) // tile registers have one shape: a full tile that ends with the rows
      tiles(full, end, rest, extent, lanes.index(rest), false, extent - rest);
    else if (rest > 0)
      tiles(full, end, rest, rest, lanes.index(rest), false);
  }

  void makeTileMemory() {
    OpBuilder &entry = emitter.scalars.getBuilder();
    Type element = elementOf(op->getResult(0));
    auto type = MemRefType::get({config.rows() * tileColumns(nest)}, element);
    Value alloca = memref::AllocaOp::create(entry, loc, type, entry.getI64IntegerAttr(64));
    auto flat = MemRefType::get({ShapedType::kDynamic}, element);
    tileMemory = memref::CastOp::create(entry, loc, flat, alloca);
  }

  // The mask of a column vector, null when all its lanes are inside.
  Value columnMask(int64_t vector, int64_t width) {
    if (!ragged)
      return {};
    Value left = builder.createOrFold<arith::SubIOp>(loc, columnsLeft, lanes.index(vector * width));
    return maskBelow(emitter, left, width);
  }

  //===--- Panels: columns of the tile, copied ------------------------------------------------------------------===//

  Value panelOffset(ArrayRef<LaneValue> dims, int64_t vector) {
    Value linear = lanes.index(0);
    for (auto [dim, extent] : llvm::zip(reductions, extents)) {
      linear = builder.createOrFold<arith::MulIOp>(loc, linear, extent);
      linear = builder.createOrFold<arith::AddIOp>(loc, linear, dims[dim].base);
    }
    return builder.createOrFold<arith::AddIOp>(loc, mul(linear, tileColumns(nest)), lanes.index(vector * config.width));
  }

  void packPanels() {
    Value offset = scratch;
    for (unsigned operand : nest.packed) {
      Type element = emitter.memoryType(elementOf(op->getOperand(operand)));
      auto type = MemRefType::get({ShapedType::kDynamic}, element);
      panels[operand] = kernel::ScratchOp::create(builder, loc, type, offset);
      offset = builder.createOrFold<arith::AddIOp>(loc, offset, panelBytes(nest, operand, emitter.scalars));
      if (isTurned(op, operand, laneLoop(), reductions.back(), config.width) && (!ragged || nest.masks)) {
        packTurned(operand);
        continue;
      }
      emitter.loops(extents, {}, [&](ArrayRef<Value> at, ValueRange) -> SmallVector<Value> {
        packColumns(operand, at);
        return {};
      });
    }
  }

  // Squares along the innermost reduction, then what is left of it row by row.
  void packTurned(unsigned operand) {
    TurnedPanel panel{op, operand, laneLoop(), reductions.back(), config.width, config.vectors, firstColumn, {}};
    if (ragged)
      panel.lastColumn = builder.createOrFold<arith::SubIOp>(loc, space.columns, lanes.index(1));
    Value size = extents.back(), zero = lanes.index(0);
    Value rest = builder.createOrFold<arith::RemUIOp>(loc, size, lanes.index(config.width));
    Value whole = builder.createOrFold<arith::SubIOp>(loc, size, rest);
    ArrayRef<Value> outer = ArrayRef(extents).drop_back();
    emitter.loops(outer, {}, [&](ArrayRef<Value> at, ValueRange) -> SmallVector<Value> {
      SmallVector<LaneValue> dims = tileDims(blockBegin);
      for (auto [dim, i] : llvm::zip(reductions, at))
        dims[dim] = LaneValue::uniform(i);
      emitTurnedPanel(emitter, panel, dims, zero, whole, [&](Value row, int64_t vector, Value elements) {
        dims[reductions.back()] = LaneValue::uniform(row);
        vector::StoreOp::create(builder, loc, elements, panels[operand], ValueRange{panelOffset(dims, vector)});
      });
      emitter.loop(whole, size, 1, {}, [&](Value row, ValueRange) -> SmallVector<Value> {
        SmallVector<Value> position(at);
        position.push_back(row);
        packColumns(operand, position);
        return {};
      });
      return {};
    });
  }

  void packColumns(unsigned operand, ArrayRef<Value> at) {
    SmallVector<LaneValue> dims = tileDims(blockBegin);
    for (auto [dim, i] : llvm::zip(reductions, at))
      dims[dim] = LaneValue::uniform(i);
    AffineMap map = op.getMatchingIndexingMap(&op->getOpOperand(operand));
    auto value = [&] { return emitter.evaluate(op->getOperand(operand), applyMap(map, dims)); };
    Buffer panel{panels[operand], elementOf(op->getOperand(operand)), {0}, {lanes.index(1)}, {Value()}};
    if (ragged && !nest.masks) {
      Value begin = panelOffset(dims, 0);
      Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(panel.elementType));
      emitter.loop(
          lanes.index(0), lanes.index(tileColumns(nest)), 1, {}, [&](Value j, ValueRange) -> SmallVector<Value> {
            LaneValue column = lanes.add(LaneValue::uniform(firstColumn), LaneValue::uniform(j));
            dims[laneLoop()] = column;
            LaneValue inside = lanes.compare(arith::CmpIPredicate::slt, column, LaneValue::uniform(space.columns));
            LaneValue element =
                emitter.branch(inside.base, panel.elementType, value, [&] { return LaneValue::uniform(zero); });
            emitter.store(panel, lanes.add(LaneValue::uniform(begin), LaneValue::uniform(j)), element);
            return {};
          });
      return;
    }
    SmallVector<LaneValue> columns;
    for (int64_t vector = 0; vector < config.vectors; ++vector)
      columns.push_back(columnLanes(vector));
    prefetchColumns(dims, columns, at);
    for (int64_t vector = 0; vector < config.vectors; ++vector) {
      lanes.width = config.width;
      lanes.mask = columnMask(vector, config.width);
      dims[laneLoop()] = columnLanes(vector);
      LaneValue loaded = value();
      lanes.mask = {}; // the panel has room for all lanes
      emitter.store(panel, LaneValue::affine(panelOffset(dims, vector), 1), loaded);
      lanes.width = 1;
    }
  }

  //===--- Tiles --------------------------------------------------------------------------------------------------===//

  LaneValue columnLanes(int64_t vector) {
    Value column = builder.createOrFold<arith::AddIOp>(loc, firstColumn, lanes.index(vector * config.width));
    return LaneValue::affine(column, config.width == 1 ? 0 : 1, config.width);
  }

  unsigned loopOf(int64_t dim) {
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    for (auto [expr, position] : llvm::zip_equal(map.getResults(), nest.steps.front().position))
      if (position == dim)
        return cast<AffineDimExpr>(expr).getPosition();
    llvm_unreachable("planContraction found the loop");
  }
  unsigned laneLoop() { return loopOf(*nest.laneDim); }

  // The op's loop indices at a row of the tile; reductions 0.
  SmallVector<LaneValue> tileDims(ArrayRef<Value> row) {
    SmallVector<LaneValue> at = index;
    at[*nest.laneDim] = LaneValue::uniform(firstColumn);
    for (auto [dim, i] : llvm::zip_equal(nest.tileDims, row))
      at[dim] = LaneValue::uniform(i);
    SmallVector<LaneValue> result;
    for (int64_t position : nest.steps.front().position)
      result.push_back(position < 0 ? lanes.constant(0) : at[position]);
    SmallVector<LaneValue> dims = emitter.loopIndices(op, 0, result);
    for (unsigned dim : reductions)
      dims[dim] = lanes.constant(0);
    return dims;
  }

  // The positions of the tile's rows, the last dimension innermost.
  SmallVector<SmallVector<Value>> tileRows(const RowTile &tile) {
    SmallVector<SmallVector<Value>> rows(1);
    for (auto [dim, extent] : llvm::enumerate(tile.extent)) {
      SmallVector<SmallVector<Value>> next;
      Value last = builder.createOrFold<arith::SubIOp>(loc, space.rowSizes[dim], lanes.index(1));
      for (const SmallVector<Value> &outer : rows)
        for (int64_t i = 0; i < extent; ++i) {
          Value at = builder.createOrFold<arith::AddIOp>(loc, tile.begin[dim], lanes.index(i));
          if (tile.clamp && i > 0)
            at = builder.createOrFold<arith::MinSIOp>(loc, at, last);
          next.push_back(outer);
          next.back().push_back(at);
        }
      rows = std::move(next);
    }
    return rows;
  }

  // The sums of a tile, one row of columns after the other.
  Buffer flatTile() { return {tileMemory, elementOf(op->getResult(0)), {0}, {lanes.index(1)}, {Value()}}; }

  LaneValue initialValue(ArrayRef<LaneValue> dims, LaneValue column) {
    OpOperand *init = op.getDpsInitOperand(0);
    SmallVector<LaneValue> at(dims), where;
    at[laneLoop()] = column;
    for (AffineExpr expr : op.getMatchingIndexingMap(init).getResults())
      where.push_back(lanes.apply(expr, at));
    return emitter.evaluate(init->get(), where);
  }

  bool startsFromZero(const RowTile &tile) {
    LaneValue first = initialValue(tileDims(tile.begin), LaneValue::uniform(firstColumn));
    return matchPattern(first.base, m_Zero()) || matchPattern(first.base, m_AnyZeroFloat());
  }

  // Puts the sums' first values in the tile's memory.
  void storeInitial(const RowTile &tile) {
    Buffer memory = flatTile();
    SmallVector<Value> extents = llvm::map_to_vector(tile.extent, [&](int64_t e) { return lanes.index(e); });
    Value end = builder.createOrFold<arith::AddIOp>(loc, firstColumn, lanes.index(tileColumns(nest)));
    if (ragged)
      end = builder.createOrFold<arith::MinSIOp>(loc, end, space.columns);
    emitter.loops(extents, {}, [&](ArrayRef<Value> offset, ValueRange) -> SmallVector<Value> {
      Value slot = lanes.index(0);
      SmallVector<Value> row;
      for (auto [i, begin, extent, size] : llvm::zip_equal(offset, tile.begin, tile.extent, space.rowSizes)) {
        slot = builder.createOrFold<arith::AddIOp>(loc, mul(slot, extent), i);
        Value last = builder.createOrFold<arith::SubIOp>(loc, size, lanes.index(1));
        Value at = builder.createOrFold<arith::AddIOp>(loc, begin, i);
        row.push_back(tile.clamp ? builder.createOrFold<arith::MinSIOp>(loc, at, last) : at);
      }
      SmallVector<LaneValue> dims = tileDims(row);
      Value base = builder.createOrFold<arith::SubIOp>(loc, mul(slot, tileColumns(nest)), firstColumn);
      forEachVector(emitter, firstColumn, end, config.width, nest.masks, [&](LaneValue column) {
        emitter.store(memory, lanes.add(column, LaneValue::uniform(base)), initialValue(dims, column));
      });
      return {};
    });
  }

  void emitRegisterTile(const RowTile &tile) {
    SmallVector<Value> last;
    if (tile.clamp)
      for (Value size : space.rowSizes)
        last.push_back(builder.createOrFold<arith::SubIOp>(loc, size, lanes.index(1)));
    bool zero = startsFromZero(tile);
    if (!zero)
      storeInitial(tile);
    tileProducts->accumulate({tile.begin, last, [&](ArrayRef<Value> row) { return tileDims(row); }}, tileMemory, zero);
    emitEpilogue(tile);
  }

  void emitTile(const RowTile &tile) {
    if (tileProducts)
      return emitRegisterTile(tile);
    rows = tile.rows();
    SmallVector<SmallVector<LaneValue>> dims;
    for (ArrayRef<Value> row : tileRows(tile))
      dims.push_back(tileDims(row));
    SmallVector<Value> masks;
    for (int64_t vector = 0; vector < vectors; ++vector)
      masks.push_back(nest.masks ? columnMask(vector, config.width) : Value());
    SmallVector<Value> accumulators = initialAccumulators(tile, dims, masks);
    if (config.paddedColumns && !products)
      masks.assign(vectors, Value());
    nextColumns = {};
    if (config.prefetchNext && panels.empty())
      nextColumns = findNextColumns(tile);
    accumulators = products ? products->accumulate(dims, accumulators)
                            : emitter.loops(extents, accumulators, [&](ArrayRef<Value> at, ValueRange carried) {
                                return accumulate(dims, masks, at, carried);
                              });
    if (storesFromRegisters(tile))
      return storeTile(tile, accumulators);
    Buffer memory = flatTile();
    lanes.width = config.width;
    for (auto [i, accumulator] : llvm::enumerate(accumulators))
      emitter.store(memory, LaneValue::affine(lanes.index(i * config.width), config.width == 1 ? 0 : 1),
                    config.width == 1 ? LaneValue::uniform(accumulator) : LaneValue::any(accumulator));
    lanes.width = 1;
    emitEpilogue(tile);
  }

  // An epilogue of a few ops is written out for each accumulator: nothing goes through memory.
  bool storesFromRegisters(const RowTile &tile) {
    constexpr int64_t kMostOps = 320; // of the tile's code
    bool whole = !tile.clamp && llvm::all_of(tile.skip, [](int64_t skip) { return skip == 0; });
    if (!config.storesFromRegisters || !whole || config.width == 1 || (ragged && !nest.masks))
      return false;
    std::optional<int64_t> ops = countEpilogue(nest.value);
    return ops && rows * vectors * (*ops + 1) <= kMostOps;
  }

  // Ops from the contraction to `value`; none where there is more than arithmetic on elements.
  std::optional<int64_t> countEpilogue(Value value) {
    Operation *def = value.getDefiningOp();
    if (!def || def == op || isa<tensor::EmptyOp>(def))
      return 0;
    auto generic = dyn_cast<linalg::GenericOp>(def);
    if (!generic || generic.getNumReductionLoops() > 0)
      return std::nullopt;
    int64_t ops = 0;
    for (Operation &inner : generic.getBody()->without_terminator()) {
      if (inner.getDialect() != op->getContext()->getLoadedDialect<arith::ArithDialect>())
        return std::nullopt;
      ops += !inner.hasTrait<OpTrait::ConstantLike>();
    }
    for (Value input : generic.getDpsInputs()) {
      std::optional<int64_t> more = isa<RankedTensorType>(input.getType()) ? countEpilogue(input) : 0;
      if (!more)
        return std::nullopt;
      ops += *more;
    }
    return ops;
  }

  void storeTile(const RowTile &tile, ArrayRef<Value> accumulators) {
    SmallVector<LaneValue> columns;
    SmallVector<Value> masks;
    for (int64_t vector = 0; vector < vectors; ++vector) {
      columns.push_back(columnLanes(vector));
      masks.push_back(columnMask(vector, config.width));
    }
    for (auto [i, row] : llvm::enumerate(tileRows(tile)))
      for (int64_t vector = 0; vector < vectors; ++vector) {
        SmallVector<LaneValue> at = index;
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
        ragged && !nest.masks &&
        !initialValue(dims[0], LaneValue::uniform(firstColumn)).base.getDefiningOp<arith::ConstantOp>();
    if (throughMemory)
      storeInitial(tile);
    return forEachAccumulator(masks, [&](int64_t i, int64_t vector) {
      if (!throughMemory)
        return initialValue(dims[i], columnLanes(vector));
      Value from = lanes.index((i * vectors + vector) * config.width);
      auto type = VectorType::get({config.width}, elementOf(op->getResult(0)));
      return LaneValue::any(vector::LoadOp::create(builder, loc, type, tileMemory, ValueRange{from}));
    });
  }

  SmallVector<Value> accumulate(ArrayRef<SmallVector<LaneValue>> dims, ArrayRef<Value> masks, ArrayRef<Value> at,
                                ValueRange carried) {
    SmallVector<LaneValue> columns;
    for (int64_t vector = 0; vector < vectors; ++vector)
      columns.push_back(columnLanes(vector));
    if (panels.empty())
      prefetchColumns(dims.front(), columns, at);
    if (nextColumns)
      prefetchNextColumns(dims.front(), at);
    DenseMap<std::pair<unsigned, int64_t>, LaneValue> loaded; // of panels
    return forEachAccumulator(masks, [&](int64_t i, int64_t vector) {
      SmallVector<LaneValue> inner(dims[i]);
      inner[laneLoop()] = columns[vector];
      for (auto [dim, k] : llvm::zip(reductions, at))
        inner[dim] = LaneValue::uniform(k);
      DenseMap<Value, LaneValue> arguments;
      Value accumulator = carried[i * vectors + vector];
      arguments[op.getRegionOutputArgs()[0]] =
          config.width == 1 ? LaneValue::uniform(accumulator) : LaneValue::any(accumulator);
      for (auto [operand, memory] : panels) {
        LaneValue &column = loaded[{operand, vector}];
        if (!column.vector)
          column = loadPanel(operand, memory, inner, vector);
        arguments[op.getMatchingBlockArgument(&op->getOpOperand(operand))] = column;
      }
      return emitter.evaluateBody(op, inner, arguments)[0];
    });
  }

  // The element of the next tile of columns from which on this tile of rows asks for its share of them.
  Value findNextColumns(const RowTile &tile) {
    Value row = lanes.index(0);
    for (auto [at, begin, block] : llvm::zip_equal(tile.begin, blockBegin, config.block))
      row = builder.createOrFold<arith::AddIOp>(loc, mul(row, block),
                                                builder.createOrFold<arith::SubIOp>(loc, at, begin));
    FunctionScalars &scalars = emitter.scalars;
    Value elements = scalars.mul(scalars.product(extents), scalars.constant(tileColumns(nest)));
    Value share = scalars.divide(elements, scalars.constant(config.blockRows()));
    return builder.createOrFold<arith::MulIOp>(loc, row, share);
  }

  void prefetchNextColumns(ArrayRef<LaneValue> dims, ArrayRef<Value> at) {
    Value step = lanes.index(0);
    for (auto [i, extent] : llvm::zip_equal(at, extents))
      step = builder.createOrFold<arith::AddIOp>(loc, builder.createOrFold<arith::MulIOp>(loc, step, extent), i);
    int64_t perStep = llvm::divideCeil(rows * tileColumns(nest), config.blockRows());
    Value distance = builder.createOrFold<arith::AddIOp>(loc, nextColumns, mul(step, perStep));
    SmallVector<LaneValue> next(dims);
    next[laneLoop()] =
        LaneValue::uniform(builder.createOrFold<arith::AddIOp>(loc, firstColumn, lanes.index(tileColumns(nest))));
    forEachColumnOperand(
        [&](Value columns, AffineMap map) { emitter.prefetchFar(columns, applyMap(map, next), distance); });
  }

  // The hardware does not see that rows of columns follow one another: they lie pages apart.
  void prefetchColumns(ArrayRef<LaneValue> dims, ArrayRef<LaneValue> columns, ArrayRef<Value> at) {
    if (config.width == 1)
      return;
    SmallVector<LaneValue> ahead(dims);
    for (auto [dim, k] : llvm::zip(reductions, at))
      ahead[dim] = LaneValue::uniform(k);
    Value later = builder.createOrFold<arith::AddIOp>(loc, at.back(), lanes.index(kPrefetchDistance));
    ahead[reductions.back()] = LaneValue::uniform(later);
    forEachColumnOperand([&](Value tensor, AffineMap map) {
      constexpr int64_t kLineBits = 512;
      int64_t vectorBits = config.width * cast<RankedTensorType>(tensor.getType()).getElementTypeBitWidth();
      for (auto [i, column] : llvm::enumerate(columns))
        if (i * vectorBits % kLineBits == 0) {
          ahead[laneLoop()] = column;
          emitter.prefetch(tensor, applyMap(map, ahead));
        }
    });
  }

  void forEachColumnOperand(function_ref<void(Value tensor, AffineMap map)> body) {
    for (OpOperand *input : op.getDpsInputOperands())
      if (AffineMap map = op.getMatchingIndexingMap(input); map.isFunctionOfDim(laneLoop()))
        body(input->get(), map);
  }

  SmallVector<LaneValue> applyMap(AffineMap map, ArrayRef<LaneValue> dims) {
    return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) { return lanes.apply(expr, dims); });
  }

  LaneValue loadPanel(unsigned operand, Value memory, ArrayRef<LaneValue> dims, int64_t vector) {
    VectorType type = lanes.vectorOf(emitter.memoryType(elementOf(op->getOperand(operand))));
    return LaneValue::any(vector::LoadOp::create(builder, loc, type, memory, ValueRange{panelOffset(dims, vector)}));
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
    addDim(*nest.laneDim, 1, firstColumn);
    emitter.bind(op->getResult(0), memory);
    emitter.loops(tile.count, {}, [&](ArrayRef<Value> row, ValueRange) -> SmallVector<Value> {
      SmallVector<LaneValue> at = index;
      for (auto [dim, begin, skip, i] : llvm::zip_equal(nest.tileDims, tile.begin, tile.skip, row)) {
        Value first = builder.createOrFold<arith::AddIOp>(loc, begin, lanes.index(skip));
        at[dim] = LaneValue::uniform(builder.createOrFold<arith::AddIOp>(loc, first, i));
      }
      Value end = builder.createOrFold<arith::AddIOp>(loc, firstColumn, lanes.index(vectors * config.width));
      if (ragged)
        end = builder.createOrFold<arith::MinSIOp>(loc, end, space.columns);
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
    if (ragged)
      return forEachVector(emitter, firstColumn, end, width, nest.masks, store);
    emitter.loop(
        lanes.index(0), lanes.index(vectors * config.width), width, {}, [&](Value j, ValueRange) -> SmallVector<Value> {
          lanes.width = width;
          store(LaneValue::affine(builder.createOrFold<arith::AddIOp>(loc, firstColumn, j), width == 1 ? 0 : 1));
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
  ContractionSpace space;
  SmallVector<Value> extents;              // of the reduction loops
  SmallVector<unsigned> reductions;        // which loops these are
  SmallVector<LaneValue> index;            // of the nest's value; row and lane dimensions are set per tile
  SmallVector<Value> blockBegin, blockEnd; // rows of the workgroup
  int64_t rows = 0;                        // of the tile being emitted
  Value firstColumn, columnsLeft, tileMemory, nextColumns;
  int64_t vectors = 0; // of the tile being emitted
  bool ragged = false; // the last tile of columns is not full
  llvm::MapVector<unsigned, Value> panels;
  std::optional<DotProducts> products; // of an integer contraction
  std::optional<TileProducts> tileProducts;
};

} // namespace

void mlir::heddle::codegen::emitContraction(const Nest &nest, ElementEmitter &emitter, Value workgroup,
                                            const Buffer &output, Value scratch) {
  ContractionEmitter(nest, emitter, output, scratch).run(workgroup);
}

void mlir::heddle::codegen::emitContractionBlock(const Nest &nest, ElementEmitter &emitter, ArrayRef<Value> at,
                                                 const Buffer &output, Value scratch) {
  ContractionEmitter(nest, emitter, output, scratch).runColumns(at);
}
