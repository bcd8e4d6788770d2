// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions and convolutions, a tile of rows times columns in each invocation.
#include "compiler/Codegen/GPU/GpuInvocation.h"
#include "compiler/Codegen/GPU/GpuProductEmitter.h"
#include "compiler/Codegen/Plan/ContractionOperands.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

//===--- Plan ----------------------------------------------------------------------------------------------------===//

std::optional<NeededOp> mlir::heddle::codegen::findProduct(const NestAnalysis &analysis,
                                                           SmallVector<int64_t> &position) {
  std::optional<NeededOp> product;
  for (NeededOp needed : analysis.ops)
    if (needed.isReduction) {
      std::optional<SmallVector<int64_t>> at = analysis.getPosition(needed);
      if (product || !at || needed.op.getNumDpsInits() != 1)
        return std::nullopt;
      product = needed;
      position = *at;
    }
  return product;
}

// Some input that depends on the columns and some that does not; rows are what the former do not depend on.
static bool findRows(GpuTile &tile, RankedTensorType type, unsigned columnLoop) {
  std::optional<SplitOperands> split = splitOperands(tile.op, columnLoop);
  if (!split)
    return false;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    std::optional<unsigned> loop = loopOf(tile.op, tile.position, dim);
    if (dim == static_cast<int64_t>(tile.columnDim))
      continue;
    if (!loop && type.getDimSize(dim) != 1)
      return false;
    bool isBatch = loop && llvm::any_of(split->columns, [&](OpOperand *input) { return dependsOn(input, *loop); });
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
  std::optional<NeededOp> product = findProduct(analysis, tile.position);
  // A padded operand would be a branch for each element of the tile.
  if (!product || !analysis.choices.empty())
    return std::nullopt;
  tile.op = product->op;
  std::optional<unsigned> column;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.getDimSize(dim) != 1)
      column = dim;
  std::optional<unsigned> loop = column ? loopOf(tile.op, tile.position, *column) : std::nullopt;
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

class TileEmitter : ProductEmitter {
public:
  TileEmitter(Value value, const GpuTile &tile, ElementEmitter &emitter, const Buffer &output)
      : ProductEmitter(value, tile.op, tile.position, emitter, output), tile(tile) {}

  void run(Value number) {
    place(number);
    store(reduce());
  }

private:
  Value rowBlocks() { return emitter.scalars.ceilDiv(product(tile.rowDims), tile.rows); }
  Value columnBlocks() { return emitter.scalars.ceilDiv(sizes[tile.columnDim], tile.columns); }

  void place(Value number) {
    LaneValue rest = LaneValue::uniform(number), blocks = LaneValue::uniform(columnBlocks());
    LaneValue column = lanes.mod(rest, blocks);
    rest = lanes.floorDiv(rest, blocks);
    LaneValue rows = LaneValue::uniform(rowBlocks());
    LaneValue row = lanes.mul(lanes.mod(rest, rows), lanes.constant(tile.rows));
    SmallVector<LaneValue> at(sizes.size(), lanes.constant(0));
    delinearize(at, tile.batchDims, lanes.floorDiv(rest, rows));
    SmallVector<LaneValue> ofRows, ofColumns;
    for (int64_t i = 0; i < tile.rows; ++i)
      ofRows.push_back(lanes.add(row, lanes.constant(i)));
    for (int64_t j = 0; j < tile.columns; ++j)
      ofColumns.push_back(lanes.add(column, lanes.mul(blocks, lanes.constant(j))));
    placeElements(at, tile.rowDims, ofRows, {tile.columnDim}, ofColumns);
  }

  // All elements of the tile in one loop over what is reduced.
  SmallVector<Value> reduce() {
    SmallVector<unsigned> reductions;
    op.getReductionDims(reductions);
    SmallVector<Value> bounds = emitter.scalars.loopSizes(op), extent;
    for (unsigned dim : reductions)
      extent.push_back(bounds[dim]);
    SmallVector<SmallVector<LaneValue>> dims =
        llvm::map_to_vector(index, [&](ArrayRef<LaneValue> at) { return loopDims(at); });
    return emitter.loops(extent, initialValues(), [&](ArrayRef<Value> at, ValueRange carried) {
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

  const GpuTile &tile;
};

class GpuTilesNest : public GpuStrategy {
public:
  GpuTilesNest(const GpuValue &of, const GpuTile &tile) : of(of), tile(tile) {}

  Value workgroups(FunctionScalars &scalars) const override {
    return scalars.ceilDiv(countTiles(scalars), of.features.invocations);
  }
  void emit(ElementEmitter &emitter, const GpuPlace &at) const override {
    GpuInvocation invocation(of, emitter, at);
    Value number = invocation.number();
    emitter.when(invocation.less(number, countTiles(emitter.scalars)),
                 [&] { TileEmitter(of.value, tile, emitter, at.output).run(number); });
  }
  std::string describe() const override {
    return "tiles of " + std::to_string(tile.rows) + "x" + std::to_string(tile.columns) + ", workgroups of " +
           std::to_string(of.features.invocations);
  }

private:
  Value countTiles(FunctionScalars &scalars) const {
    SmallVector<Value> sizes = scalars.sizes(of.value);
    auto product = [&](ArrayRef<unsigned> dims) {
      return scalars.product(llvm::map_to_vector(dims, [&](unsigned dim) { return sizes[dim]; }));
    };
    Value rows = scalars.ceilDiv(product(tile.rowDims), tile.rows);
    Value columns = scalars.ceilDiv(sizes[tile.columnDim], tile.columns);
    return scalars.mul(product(tile.batchDims), scalars.mul(rows, columns));
  }

  GpuValue of;
  const GpuTile &tile;
};

} // namespace

std::unique_ptr<GpuStrategy> mlir::heddle::codegen::makeStrategy(const GpuValue &of, const GpuTile &plan) {
  return std::make_unique<GpuTilesNest>(of, plan);
}
