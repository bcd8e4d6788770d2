// Nests of kind Contraction: tiles of `rows` x `vectors` accumulators in registers, the reduction loops around them;
// then whatever consumes the contraction, from the tile in first-level cache.
//
//   for each workgroup: a block of rows x one tile of columns
//     (copy the columns to scratch)
//     for each tile of rows
//       accumulators = initial; for each k: accumulators += row scalars x column vectors
//       tile memory = accumulators
//       for each row of the tile: result = epilogue(tile row)
#include "compiler/Codegen/IR/KernelOps.h"
#include "compiler/Codegen/Nest.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

namespace {

struct TileSpace {
  // Outside to inside: batch dimensions, row blocks (a block stays in second-level cache for all its columns), column
  // tiles (a tile of columns stays for all dimensions it does not depend on), other dimensions.
  SmallVector<unsigned> batchDims, otherDims; // of the nest, walked one by one
  SmallVector<Value> sizes;
  Value rows, columns;
};

int64_t tileColumns(const Nest &nest) { return nest.contraction.vectors * nest.contraction.width; }

TileSpace getTiles(const Nest &nest, FunctionScalars &scalars) {
  TileSpace space;
  SmallVector<Value> sizes = scalars.sizes(nest.value);
  space.batchDims = nest.batchDims;
  for (unsigned dim = 0; dim < sizes.size(); ++dim)
    if (dim != *nest.laneDim && nest.rowDim != dim && !llvm::is_contained(nest.batchDims, dim))
      space.otherDims.push_back(dim);
  space.columns = sizes[*nest.laneDim];
  space.rows = nest.rowDim ? sizes[*nest.rowDim] : scalars.constant(1);
  for (unsigned dim : space.batchDims)
    space.sizes.push_back(sizes[dim]);
  space.sizes.push_back(scalars.ceilDiv(space.rows, nest.contraction.rowsPerWorkgroup));
  space.sizes.push_back(scalars.ceilDiv(space.columns, tileColumns(nest)));
  for (unsigned dim : space.otherDims)
    space.sizes.push_back(sizes[dim]);
  return space;
}

SmallVector<Value> reductionSizes(linalg::GenericOp op, FunctionScalars &scalars) {
  SmallVector<Value> loops = scalars.loopSizes(op), sizes;
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  for (unsigned dim : reductions)
    sizes.push_back(loops[dim]);
  return sizes;
}

Type elementOf(Value tensor) { return cast<RankedTensorType>(tensor.getType()).getElementType(); }

Value panelBytes(const Nest &nest, unsigned operand, FunctionScalars &scalars) {
  linalg::GenericOp op = nest.steps.front().op;
  int64_t bytes = std::max<int64_t>(1, elementOf(op->getOperand(operand)).getIntOrFloatBitWidth() / 8);
  Value total = scalars.mul(scalars.product(reductionSizes(op, scalars)), scalars.constant(bytes * tileColumns(nest)));
  return scalars.mul(scalars.ceilDiv(total, 64), scalars.constant(64));
}

class ContractionEmitter {
public:
  ContractionEmitter(const Nest &nest, ElementEmitter &emitter, const Buffer &output, Value scratch)
      : nest(nest), config(nest.contraction), emitter(emitter), output(output), scratch(scratch), lanes(emitter.lanes),
        builder(lanes.builder), loc(lanes.loc), op(linalg::GenericOp(nest.steps.front().op)),
        space(getTiles(nest, emitter.scalars)), extents(reductionSizes(op, emitter.scalars)) {
    op.getReductionDims(reductions);
  }

  void run(Value workgroup) {
    SmallVector<Value> at = delinearize(emitter, workgroup, space.sizes);
    index.assign(at.size() - (nest.rowDim ? 0 : 1), LaneValue());
    size_t batches = space.batchDims.size();
    for (auto [dim, i] : llvm::zip(space.batchDims, at))
      index[dim] = LaneValue::uniform(i);
    for (auto [dim, i] : llvm::zip(space.otherDims, ArrayRef(at).drop_front(batches + 2)))
      index[dim] = LaneValue::uniform(i);
    firstColumn = mul(at[batches + 1], tileColumns(nest));
    columnsLeft = builder.createOrFold<arith::SubIOp>(loc, space.columns, firstColumn);
    std::optional<int64_t> columns = getConstant(space.columns);
    ragged = !columns || *columns % tileColumns(nest) != 0;
    makeTileMemory();
    Value begin = mul(at[batches], config.rowsPerWorkgroup);
    Value after = builder.createOrFold<arith::AddIOp>(loc, begin, lanes.index(config.rowsPerWorkgroup));
    Value end = builder.createOrFold<arith::MinSIOp>(loc, after, space.rows);
    if (config.packing != Packing::ManyRows) {
      packPanels();
      return emitRowTiles(begin, end);
    }
    Value one = lanes.index(1), zero = lanes.index(0);
    Value many = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, space.rows,
                                       lanes.index(kManyRowTiles * config.rows));
    auto when = [&](Value condition, function_ref<void()> body) {
      Value times = arith::SelectOp::create(builder, loc, condition, one, zero);
      emitter.loop(zero, times, 1, {}, [&](Value, ValueRange) -> SmallVector<Value> {
        body();
        return {};
      });
    };
    when(many, [&] {
      packPanels();
      emitRowTiles(begin, end);
    });
    panels.clear();
    Value few = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, space.rows,
                                      lanes.index(kManyRowTiles * config.rows));
    when(few, [&] { emitRowTiles(begin, end); });
  }

private:
  Value mul(Value value, int64_t factor) {
    return builder.createOrFold<arith::MulIOp>(loc, value, lanes.index(factor));
  }

  void emitRowTiles(Value begin, Value end) {
    Value count = builder.createOrFold<arith::SubIOp>(loc, end, begin);
    Value rest = builder.createOrFold<arith::RemUIOp>(loc, count, lanes.index(config.rows));
    if (std::optional<int64_t> rows = getConstant(space.rows); rows && *rows % config.rows == 0)
      rest = lanes.index(0);
    Value full = builder.createOrFold<arith::SubIOp>(loc, end, rest);
    emitter.loop(begin, full, config.rows, {}, [&](Value row, ValueRange) -> SmallVector<Value> {
      emitTile(row, lanes.index(config.rows), false);
      return {};
    });
    if (getConstant(rest) == 0)
      return;
    // Rows past the end read the last row; the epilogue leaves them out.
    emitter.loop(full, end, config.rows, {}, [&](Value row, ValueRange) -> SmallVector<Value> {
      emitTile(row, rest, true);
      return {};
    });
  }

  void makeTileMemory() {
    OpBuilder &entry = emitter.scalars.getBuilder();
    Type element = elementOf(op->getResult(0));
    auto type = MemRefType::get({config.rows * tileColumns(nest)}, element);
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
      emitter.loops(extents, {}, [&](ArrayRef<Value> at, ValueRange) -> SmallVector<Value> {
        packColumns(operand, at);
        return {};
      });
    }
  }

  void packColumns(unsigned operand, ArrayRef<Value> at) {
    SmallVector<LaneValue> dims = tileDims(lanes.index(0));
    for (auto [dim, i] : llvm::zip(reductions, at))
      dims[dim] = LaneValue::uniform(i);
    AffineMap map = op.getMatchingIndexingMap(&op->getOpOperand(operand));
    auto value = [&] {
      SmallVector<LaneValue> where;
      for (AffineExpr expr : map.getResults())
        where.push_back(lanes.apply(expr, dims));
      return emitter.evaluate(op->getOperand(operand), where);
    };
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
    return LaneValue::affine(column, config.width == 1 ? 0 : 1);
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
  SmallVector<LaneValue> tileDims(Value row) {
    SmallVector<LaneValue> at = index;
    at[*nest.laneDim] = LaneValue::uniform(firstColumn);
    if (nest.rowDim)
      at[*nest.rowDim] = LaneValue::uniform(row);
    SmallVector<LaneValue> result;
    for (int64_t position : nest.steps.front().position)
      result.push_back(position < 0 ? lanes.constant(0) : at[position]);
    SmallVector<LaneValue> dims = emitter.loopIndices(op, 0, result);
    for (unsigned dim : reductions)
      dims[dim] = lanes.constant(0);
    return dims;
  }

  void emitTile(Value row, Value rows, bool clamp) {
    SmallVector<SmallVector<LaneValue>> dims;
    for (int64_t i = 0; i < config.rows; ++i) {
      Value at = builder.createOrFold<arith::AddIOp>(loc, row, lanes.index(i));
      if (clamp && i > 0)
        at = builder.createOrFold<arith::MinSIOp>(loc, at,
                                                  builder.createOrFold<arith::SubIOp>(loc, space.rows, lanes.index(1)));
      dims.push_back(tileDims(at));
    }
    SmallVector<Value> masks;
    for (int64_t vector = 0; vector < config.vectors; ++vector)
      masks.push_back(nest.masks ? columnMask(vector, config.width) : Value());
    SmallVector<Value> accumulators = initialAccumulators(dims, masks);
    accumulators = emitter.loops(extents, accumulators, [&](ArrayRef<Value> at, ValueRange carried) {
      return accumulate(dims, masks, at, carried);
    });
    Buffer tile{tileMemory, elementOf(op->getResult(0)), {0}, {lanes.index(1)}, {Value()}};
    lanes.width = config.width;
    for (auto [i, accumulator] : llvm::enumerate(accumulators))
      emitter.store(tile, LaneValue::affine(lanes.index(i * config.width), config.width == 1 ? 0 : 1),
                    config.width == 1 ? LaneValue::uniform(accumulator) : LaneValue::any(accumulator));
    lanes.width = 1;
    emitEpilogue(row, rows);
  }

  // Calls `body(row, vector)` with the lanes set, for each accumulator; collects what it gives.
  SmallVector<Value> forEachAccumulator(ArrayRef<Value> masks, function_ref<LaneValue(int64_t, int64_t)> body) {
    SmallVector<Value> values;
    for (int64_t i = 0; i < config.rows; ++i)
      for (int64_t vector = 0; vector < config.vectors; ++vector) {
        lanes.width = config.width;
        lanes.mask = masks[vector];
        values.push_back(config.width == 1 ? body(i, vector).base : lanes.toVector(body(i, vector)));
      }
    lanes.width = 1;
    lanes.mask = {};
    return values;
  }

  SmallVector<Value> initialAccumulators(ArrayRef<SmallVector<LaneValue>> dims, ArrayRef<Value> masks) {
    OpOperand *init = op.getDpsInitOperand(0);
    AffineMap map = op.getMatchingIndexingMap(init);
    return forEachAccumulator(masks, [&](int64_t i, int64_t vector) {
      SmallVector<LaneValue> at(dims[i]);
      at[laneLoop()] = columnLanes(vector);
      SmallVector<LaneValue> where;
      for (AffineExpr expr : map.getResults())
        where.push_back(lanes.apply(expr, at));
      return emitter.evaluate(init->get(), where);
    });
  }

  SmallVector<Value> accumulate(ArrayRef<SmallVector<LaneValue>> dims, ArrayRef<Value> masks, ArrayRef<Value> at,
                                ValueRange carried) {
    SmallVector<LaneValue> columns;
    for (int64_t vector = 0; vector < config.vectors; ++vector)
      columns.push_back(columnLanes(vector));
    if (panels.empty())
      prefetchColumns(dims.front(), columns, at);
    DenseMap<std::pair<unsigned, int64_t>, LaneValue> loaded; // of panels
    return forEachAccumulator(masks, [&](int64_t i, int64_t vector) {
      SmallVector<LaneValue> inner(dims[i]);
      inner[laneLoop()] = columns[vector];
      for (auto [dim, k] : llvm::zip(reductions, at))
        inner[dim] = LaneValue::uniform(k);
      DenseMap<Value, LaneValue> arguments;
      Value accumulator = carried[i * config.vectors + vector];
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

  // The hardware does not see that rows of columns follow one another: they lie pages apart.
  void prefetchColumns(ArrayRef<LaneValue> dims, ArrayRef<LaneValue> columns, ArrayRef<Value> at) {
    if (config.width == 1)
      return;
    SmallVector<LaneValue> ahead(dims);
    for (auto [dim, k] : llvm::zip(reductions, at))
      ahead[dim] = LaneValue::uniform(k);
    Value later = builder.createOrFold<arith::AddIOp>(loc, at.back(), lanes.index(kPrefetchDistance));
    ahead[reductions.back()] = LaneValue::uniform(later);
    for (OpOperand *input : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(input);
      if (!map.isFunctionOfDim(laneLoop()))
        continue;
      for (LaneValue column : columns) {
        ahead[laneLoop()] = column;
        SmallVector<LaneValue> where;
        for (AffineExpr expr : map.getResults())
          where.push_back(lanes.apply(expr, ahead));
        emitter.prefetch(input->get(), where);
      }
    }
  }

  LaneValue loadPanel(unsigned operand, Value memory, ArrayRef<LaneValue> dims, int64_t vector) {
    VectorType type = lanes.vectorOf(emitter.memoryType(elementOf(op->getOperand(operand))));
    return LaneValue::any(vector::LoadOp::create(builder, loc, type, memory, ValueRange{panelOffset(dims, vector)}));
  }

  void emitEpilogue(Value row, Value rows) {
    Buffer tile{tileMemory, elementOf(op->getResult(0)), {}, {}, {}};
    auto addDim = [&](unsigned dim, Value stride, Value origin) {
      // The tile is indexed as the op's result is.
      auto position = llvm::find(nest.steps.front().position, static_cast<int64_t>(dim));
      tile.dims.push_back(position - nest.steps.front().position.begin());
      tile.strides.push_back(stride);
      tile.origin.push_back(origin);
    };
    if (nest.rowDim)
      addDim(*nest.rowDim, lanes.index(tileColumns(nest)), row);
    addDim(*nest.laneDim, lanes.index(1), firstColumn);
    emitter.bind(op->getResult(0), tile);
    emitter.loop(lanes.index(0), rows, 1, {}, [&](Value i, ValueRange) -> SmallVector<Value> {
      SmallVector<LaneValue> at = index;
      if (nest.rowDim)
        at[*nest.rowDim] = LaneValue::uniform(builder.createOrFold<arith::AddIOp>(loc, row, i));
      Value end = builder.createOrFold<arith::AddIOp>(loc, firstColumn, lanes.index(tileColumns(nest)));
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
    int64_t width = std::min(2 * config.width, tileColumns(nest));
    if (ragged)
      return forEachVector(emitter, firstColumn, end, width, nest.masks, store);
    emitter.loop(
        lanes.index(0), lanes.index(tileColumns(nest)), width, {}, [&](Value j, ValueRange) -> SmallVector<Value> {
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
  TileSpace space;
  SmallVector<Value> extents;       // of the reduction loops
  SmallVector<unsigned> reductions; // which loops these are
  SmallVector<LaneValue> index;     // of the nest's value; row and lane dimensions are set per tile
  Value firstColumn, columnsLeft, tileMemory;
  bool ragged = false; // the last tile of columns is not full
  llvm::MapVector<unsigned, Value> panels;
};

} // namespace

Value mlir::heddle::codegen::countContractionWorkgroups(const Nest &nest, FunctionScalars &scalars) {
  return scalars.product(getTiles(nest, scalars).sizes);
}

Value mlir::heddle::codegen::countContractionScratch(const Nest &nest, FunctionScalars &scalars) {
  Value total = scalars.constant(0);
  for (unsigned operand : nest.packed)
    total = scalars.add(total, panelBytes(nest, operand, scalars));
  return total;
}

void mlir::heddle::codegen::emitContraction(const Nest &nest, ElementEmitter &emitter, Value workgroup,
                                            const Buffer &output, Value scratch) {
  ContractionEmitter(nest, emitter, output, scratch).run(workgroup);
}
