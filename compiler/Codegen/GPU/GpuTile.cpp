// Contractions and convolutions, a tile of rows times columns in each invocation.
#include "compiler/Codegen/GPU/GpuNest.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

//===--- Plan ----------------------------------------------------------------------------------------------------===//

// The op's loop that the value's dimension is.
static std::optional<unsigned> loopOf(GpuTile &tile, int64_t dim) {
  AffineMap map = tile.op.getMatchingIndexingMap(tile.op.getDpsInitOperand(0));
  for (auto [expr, position] : llvm::zip_equal(map.getResults(), tile.position))
    if (position == dim)
      if (auto loop = dyn_cast<AffineDimExpr>(expr))
        return loop.getPosition();
  return std::nullopt;
}

static bool reads(linalg::GenericOp op, OpOperand *input, unsigned loop) {
  return llvm::any_of(op.getMatchingIndexingMap(input).getResults(),
                      [&](AffineExpr expr) { return expr.isFunctionOfDim(loop); });
}

// Some input that depends on the columns and some that does not; rows are what the former do not depend on.
static bool findRows(GpuTile &tile, RankedTensorType type, unsigned columnLoop) {
  SmallVector<OpOperand *> columns, others;
  for (OpOperand *input : tile.op.getDpsInputOperands())
    if (!tile.op.getMatchingBlockArgument(input).use_empty())
      (reads(tile.op, input, columnLoop) ? columns : others).push_back(input);
  if (columns.empty() || others.empty())
    return false;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    std::optional<unsigned> loop = loopOf(tile, dim);
    if (dim == static_cast<int64_t>(tile.columnDim))
      continue;
    if (!loop && type.getDimSize(dim) != 1)
      return false;
    bool isBatch = loop && llvm::any_of(columns, [&](OpOperand *input) { return reads(tile.op, input, *loop); });
    (isBatch ? tile.batchDims : tile.rowDims).push_back(dim);
  }
  return !tile.rowDims.empty();
}

// So many tiles keep every unit of a device at work; smaller ones make more of them.
static void chooseSizes(GpuTile &tile, RankedTensorType type) {
  constexpr int64_t kEnoughTiles = 4096, kUsual = 1 << 16;
  auto product = [&](ArrayRef<unsigned> dims) {
    int64_t elements = 1;
    for (unsigned dim : dims)
      elements *= type.isDynamicDim(dim) ? kUsual : type.getDimSize(dim);
    return elements;
  };
  // Of an empty tensor, too, a tile has an element.
  int64_t rows = std::max<int64_t>(1, product(tile.rowDims)), columns = std::max<int64_t>(1, product({tile.columnDim}));
  int64_t batch = product(tile.batchDims);
  while (tile.rows > rows)
    tile.rows /= 2;
  while (tile.columns > columns)
    tile.columns /= 2;
  auto tiles = [&] { return batch * (rows / tile.rows) * (columns / tile.columns); };
  while (tiles() < kEnoughTiles && tile.rows * tile.columns > 1)
    (tile.rows > tile.columns || tile.columns == 1 ? tile.rows : tile.columns) /= 2;
}

std::optional<GpuTile> mlir::heddle::codegen::planGpuTile(Value value, const NestAnalysis &analysis) {
  auto type = cast<RankedTensorType>(value.getType());
  GpuTile tile;
  for (NeededOp needed : analysis.ops)
    if (needed.isReduction) {
      std::optional<SmallVector<int64_t>> position = analysis.getPosition(needed);
      if (tile.op || !position || needed.op.getNumDpsInits() != 1)
        return std::nullopt;
      tile.op = needed.op;
      tile.position = *position;
    }
  // A padded operand would be a branch for each element of the tile.
  if (!tile.op || !analysis.choices.empty())
    return std::nullopt;
  std::optional<unsigned> column;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.getDimSize(dim) != 1)
      column = dim;
  std::optional<unsigned> loop = column ? loopOf(tile, *column) : std::nullopt;
  if (!loop)
    return std::nullopt;
  tile.columnDim = *column;
  if (!findRows(tile, type, *loop))
    return std::nullopt;
  chooseSizes(tile, type);
  return tile.rows * tile.columns > 1 ? std::optional(tile) : std::nullopt;
}

//===--- Emission ------------------------------------------------------------------------------------------------===//

namespace {

class TileEmitter {
public:
  TileEmitter(const GpuNest &nest, ElementEmitter &emitter, const Buffer &output)
      : nest(nest), tile(*nest.tile), op(tile.op), emitter(emitter), lanes(emitter.lanes), output(output),
        sizes(emitter.scalars.sizes(nest.value)) {}

  Value rowBlocks() { return emitter.scalars.ceilDiv(product(tile.rowDims), tile.rows); }
  Value columnBlocks() { return emitter.scalars.ceilDiv(sizes[tile.columnDim], tile.columns); }

  void run(Value number) {
    place(number);
    SmallVector<Value> totals = reduce();
    for (auto [i, at] : llvm::enumerate(index)) {
      emitter.when(inside[i], [&] {
        emitter.bind(op->getResult(0), LaneValue::uniform(totals[i]));
        emitter.store(output, at, emitter.evaluate(nest.value, at));
        emitter.unbindRegisters(op->getResult(0));
      });
    }
  }

private:
  Value product(ArrayRef<unsigned> dims) {
    return emitter.scalars.product(llvm::map_to_vector(dims, [&](unsigned dim) { return sizes[dim]; }));
  }

  // Where each of the tile's elements is; those past the end are computed as the last ones are, and not stored.
  void place(Value number) {
    LaneValue rest = LaneValue::uniform(number), blocks = LaneValue::uniform(columnBlocks());
    LaneValue column = lanes.mod(rest, blocks);
    rest = lanes.floorDiv(rest, blocks);
    LaneValue rows = LaneValue::uniform(rowBlocks());
    LaneValue row = lanes.mul(lanes.mod(rest, rows), lanes.constant(tile.rows));
    SmallVector<LaneValue> at(sizes.size(), lanes.constant(0));
    delinearize(at, tile.batchDims, lanes.floorDiv(rest, rows));
    Value rowCount = product(tile.rowDims);
    for (int64_t i = 0; i < tile.rows; ++i) {
      auto [clampedRow, rowInside] = clamp(lanes.add(row, lanes.constant(i)), rowCount);
      delinearize(at, tile.rowDims, clampedRow);
      for (int64_t j = 0; j < tile.columns; ++j) {
        LaneValue offset = lanes.mul(blocks, lanes.constant(j));
        auto [clampedColumn, columnInside] = clamp(lanes.add(column, offset), sizes[tile.columnDim]);
        at[tile.columnDim] = clampedColumn;
        index.push_back(at);
        inside.push_back(lanes.builder.createOrFold<arith::AndIOp>(lanes.loc, rowInside, columnInside));
      }
    }
  }

  std::pair<LaneValue, Value> clamp(LaneValue i, Value size) {
    OpBuilder &builder = lanes.builder;
    Value inside = builder.createOrFold<arith::CmpIOp>(lanes.loc, arith::CmpIPredicate::ult, i.base, size);
    Value last = builder.createOrFold<arith::SubIOp>(lanes.loc, size, lanes.index(1));
    return {LaneValue::uniform(builder.createOrFold<arith::SelectOp>(lanes.loc, inside, i.base, last)), inside};
  }

  void delinearize(SmallVector<LaneValue> &at, ArrayRef<unsigned> dims, LaneValue linear) {
    for (size_t d = dims.size(); d-- > 0;) {
      LaneValue size = LaneValue::uniform(sizes[dims[d]]);
      if (d == 0) {
        at[dims[d]] = linear;
        continue;
      }
      at[dims[d]] = lanes.mod(linear, size);
      linear = lanes.floorDiv(linear, size);
    }
  }

  // All elements of the tile in one loop over what is reduced.
  SmallVector<Value> reduce() {
    SmallVector<unsigned> reductions;
    op.getReductionDims(reductions);
    SmallVector<SmallVector<LaneValue>> dims;
    SmallVector<Value> initial, bounds = emitter.scalars.loopSizes(op), extent;
    for (unsigned dim : reductions)
      extent.push_back(bounds[dim]);
    for (ArrayRef<LaneValue> at : index) {
      SmallVector<LaneValue> position =
          llvm::map_to_vector(tile.position, [&](int64_t dim) { return dim < 0 ? lanes.constant(0) : at[dim]; });
      dims.push_back(emitter.loopIndices(op, 0, position));
      for (unsigned dim : reductions)
        dims.back()[dim] = lanes.constant(0);
      OpOperand *init = op.getDpsInitOperand(0);
      SmallVector<LaneValue> where;
      for (AffineExpr expr : op.getMatchingIndexingMap(init).getResults())
        where.push_back(lanes.apply(expr, dims.back()));
      initial.push_back(emitter.evaluate(init->get(), where).base);
    }
    return emitter.loops(extent, initial, [&](ArrayRef<Value> at, ValueRange carried) {
      SmallVector<Value> next;
      for (size_t i = 0; i < dims.size(); ++i) {
        for (auto [dim, value] : llvm::zip(reductions, at))
          dims[i][dim] = LaneValue::uniform(value);
        DenseMap<Value, LaneValue> arguments;
        arguments[op.getRegionOutputArgs().front()] = LaneValue::uniform(carried[i]);
        next.push_back(emitter.evaluateBody(op, dims[i], arguments).front().base);
      }
      return next;
    });
  }

  const GpuNest &nest;
  const GpuTile &tile;
  linalg::GenericOp op;
  ElementEmitter &emitter;
  LaneBuilder &lanes;
  const Buffer &output;
  SmallVector<Value> sizes;
  SmallVector<SmallVector<LaneValue>> index; // of the tile's elements, row by row
  SmallVector<Value> inside;
};

} // namespace

Value mlir::heddle::codegen::countTiles(const GpuNest &nest, FunctionScalars &scalars) {
  SmallVector<Value> sizes = scalars.sizes(nest.value);
  auto product = [&](ArrayRef<unsigned> dims) {
    return scalars.product(llvm::map_to_vector(dims, [&](unsigned dim) { return sizes[dim]; }));
  };
  Value rows = scalars.ceilDiv(product(nest.tile->rowDims), nest.tile->rows);
  Value columns = scalars.ceilDiv(sizes[nest.tile->columnDim], nest.tile->columns);
  return scalars.mul(product(nest.tile->batchDims), scalars.mul(rows, columns));
}

void mlir::heddle::codegen::emitTile(const GpuNest &nest, ElementEmitter &emitter, Value tile, const Buffer &output) {
  TileEmitter(nest, emitter, output).run(tile);
}
