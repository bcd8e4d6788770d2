// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/CPU/Contraction/TileProducts.h"
#include "compiler/Codegen/IR/KernelOps.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

constexpr int64_t kMostRows = 16; // of a register

TileProducts::TileProducts(const ContractionPlan &nest, ElementEmitter &emitter, Value scratch)
    : config(nest.contraction), form(*nest.integer), emitter(emitter), lanes(emitter.lanes), operands(nest, emitter) {
  operands.setScratch(scratch);
}

SmallVector<TileProducts::Piece> TileProducts::pieces(ArrayRef<int64_t> tile) {
  int64_t length = tile.back(), parts = llvm::divideCeil(length, kMostRows), height = llvm::divideCeil(length, parts);
  SmallVector<Piece> pieces;
  for (int64_t slot = 0; slot < llvm::product_of(tile); slot += length) {
    SmallVector<int64_t> at(tile.size(), 0);
    for (int64_t rest = slot / length, i = static_cast<int64_t>(tile.size()) - 2; i >= 0; rest /= tile[i], --i)
      at[i] = rest % tile[i];
    for (int64_t begin = 0; begin < length; begin += height) {
      at.back() = begin;
      pieces.push_back({at, slot + begin, std::min(height, length - begin)});
    }
  }
  return pieces;
}

void TileProducts::configure(const ContractionPlan &nest, ElementEmitter &emitter) {
  const ContractionConfig &config = nest.contraction;
  SmallVector<int64_t> rows(8, 0), bytes(8, 0);
  auto set = [&](int64_t tile, int64_t tileRows, int64_t rowBytes) {
    rows[tile] = tileRows;
    bytes[tile] = rowBytes;
  };
  int64_t wordBytes = 4 * config.width;
  for (int64_t vector = 0; vector < config.vectors; ++vector)
    set(Columns + vector, config.groups, wordBytes);
  for (auto [i, piece] : llvm::enumerate(pieces(config.tile))) {
    set(Rows + static_cast<int64_t>(i), piece.rows, 4 * config.groups);
    for (int64_t vector = 0; vector < config.vectors; ++vector)
      set(Accumulators + static_cast<int64_t>(i) * config.vectors + vector, piece.rows, wordBytes);
  }
  kernel::TileConfigureOp::create(emitter.lanes.builder, emitter.lanes.loc, rows, bytes);
}

void TileProducts::release(ElementEmitter &emitter) {
  kernel::TileReleaseOp::create(emitter.lanes.builder, emitter.lanes.loc);
}

void TileProducts::prepare(DotColumns tile) {
  columns = std::move(tile);
  if (operands.packsColumns())
    operands.packColumns(columns);
}

SmallVector<Value> TileProducts::rowAt(const TileRows &rows, ArrayRef<Value> offset) {
  SmallVector<Value> row;
  for (auto [i, begin] : llvm::enumerate(rows.begin)) {
    row.push_back(add(begin, offset[i]));
    if (!rows.last.empty())
      row.back() = lanes.builder.createOrFold<arith::MinSIOp>(lanes.loc, row.back(), rows.last[i]);
  }
  return row;
}

void TileProducts::pack(const TileRows &rows) {
  SmallVector<Value> extents;
  for (int64_t extent : config.tile)
    extents.push_back(lanes.index(extent));
  emitter.loops(extents, {}, [&](ArrayRef<Value> offset, ValueRange) -> SmallVector<Value> {
    Value slot = lanes.index(0);
    for (auto [i, extent] : llvm::zip(offset, extents))
      slot = add(lanes.builder.createOrFold<arith::MulIOp>(lanes.loc, slot, extent), i);
    operands.packRow(rows.dims(rowAt(rows, offset)), slot);
    return {};
  });
}

void TileProducts::forEachAccumulator(Value memory, function_ref<void(int64_t, Value, Value)> body) {
  int64_t tileColumns = config.vectors * config.width;
  for (auto [i, piece] : llvm::enumerate(pieces(config.tile)))
    for (int64_t vector = 0; vector < config.vectors; ++vector)
      body(Accumulators + static_cast<int64_t>(i) * config.vectors + vector,
           lanes.index(piece.slot * tileColumns + vector * config.width), lanes.index(tileColumns));
}

void TileProducts::accumulate(const TileRows &rows, Value memory, bool zero) {
  OpBuilder &builder = lanes.builder;
  Location loc = lanes.loc;
  bool packed = operands.packsRows() || !rows.last.empty();
  if (packed)
    pack(rows);
  SmallVector<DotRows> matrices;
  for (const Piece &piece : pieces(config.tile)) {
    DotRows matrix{{}, {}, piece.slot};
    if (!packed) {
      auto row = [&](int64_t next) {
        SmallVector<Value> offset;
        for (int64_t i : piece.at)
          offset.push_back(lanes.index(i));
        offset.back() = lanes.index(piece.at.back() + next);
        return rows.dims(rowAt(rows, offset));
      };
      matrix.first = row(0);
      matrix.second = row(1);
    }
    matrices.push_back(matrix);
  }
  forEachAccumulator(memory, [&](int64_t tile, Value offset, Value stride) {
    if (zero)
      kernel::TileZeroOp::create(builder, loc, tile);
    else
      kernel::TileLoadOp::create(builder, loc, tile, memory, offset, stride);
  });
  auto load = [&](int64_t tile, const DotMatrix &matrix) {
    kernel::TileLoadOp::create(builder, loc, tile, matrix.memory, matrix.offset, matrix.stride);
  };
  operands.forEachTile(config.groups, [&](const GroupIndex &at) {
    for (auto [i, matrix] : llvm::enumerate(matrices)) {
      auto piece = static_cast<int64_t>(i);
      load(Rows + piece, operands.rowMatrix(matrix, at));
      for (int64_t vector = 0; vector < config.vectors; ++vector) {
        if (piece == 0)
          load(Columns + vector, operands.columnMatrix(columns, vector, at));
        kernel::TileDotOp::create(builder, loc, Accumulators + piece * config.vectors + vector, Rows + piece,
                                  Columns + vector, form.rowSigned, form.columnSigned);
      }
    }
  });
  forEachAccumulator(memory, [&](int64_t tile, Value offset, Value stride) {
    kernel::TileStoreOp::create(builder, loc, tile, memory, offset, stride);
  });
}
