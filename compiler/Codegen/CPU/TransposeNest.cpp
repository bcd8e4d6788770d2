// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nests that transpose: squares of elements are loaded along the sources' neighbours, turned in registers, and used
// along the result's.
//
//   for each workgroup: a block of the two dimensions at one position of the others
//     for each square: vectors = rows of the sources; turn; for each vector: result = body(vector)
//
// The last squares of a block end with it, over the ones before. A block smaller than a square is gathered; where only
// the call knows a size, there is code for smaller squares too, of four elements and more.
#include "compiler/Codegen/CPU/Contraction/TurnedPanels.h"
#include "compiler/Codegen/CPU/Strategy.h"
#include "compiler/Codegen/CPU/Streaming.h"
#include "compiler/Codegen/Emit/VectorLoops.h"
#include "compiler/Codegen/Plan/Strides.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

namespace {

struct TransposeSpace {
  TransposeSpace(const TransposePlan &nest, FunctionScalars &scalars) : sizes(scalars.sizes(nest.value)) {
    auto join = [&](ArrayRef<unsigned> dims, unsigned base) {
      for (unsigned dim : dims)
        sizes[base] = scalars.mul(sizes[base], sizes[dim]);
    };
    join(nest.joined, *nest.laneDim);
    join(nest.turnedJoined, nest.turnedDim);
    for (unsigned dim = 0; dim < sizes.size(); ++dim)
      if (dim != nest.turnedDim && dim != *nest.laneDim && !llvm::is_contained(nest.joined, dim) &&
          !llvm::is_contained(nest.turnedJoined, dim)) {
        outerDims.push_back(dim);
        grid.push_back(sizes[dim]);
      }
    grid.push_back(scalars.ceilDiv(sizes[nest.turnedDim], nest.transpose.rows));
    grid.push_back(scalars.ceilDiv(sizes[*nest.laneDim], nest.transpose.columns));
  }

  SmallVector<Value> sizes; // of the value, with those of joined dimensions in the turned and the lane one
  SmallVector<Value> grid;  // workgroups: outer dimensions, blocks of the turned and lane ones
  SmallVector<unsigned> outerDims;
};

class TransposeEmitter {
public:
  TransposeEmitter(const TransposePlan &nest, ElementEmitter &emitter, const Buffer &output)
      : nest(nest), emitter(emitter), output(output), lanes(emitter.lanes), builder(lanes.builder), loc(lanes.loc),
        space(nest, emitter.scalars), tile(nest.transpose.tile) {}

  void run(Value workgroup) {
    SmallVector<Value> at = delinearize(emitter, workgroup, space.grid);
    index.assign(space.sizes.size(), lanes.constant(0));
    for (auto [dim, i] : llvm::zip(space.outerDims, at))
      index[dim] = LaneValue::uniform(i);
    emitBlock(at[at.size() - 2], at.back());
  }

private:
  static constexpr int64_t kFewest = 4; // elements of a square's side

  struct Range {
    Value begin, end;
    Value fits;        // whether it has the length of a square
    bool whole = true; // squares end with it, by its size
  };

  // In squares of `tile`, or of the next smaller size.
  void emitBlock(Value rowBlock, Value columnBlock) {
    Range rows = range(nest.turnedDim, rowBlock, nest.transpose.rows);
    Range columns = range(*nest.laneDim, columnBlock, nest.transpose.columns);
    Value fits = builder.createOrFold<arith::AndIOp>(loc, rows.fits, columns.fits);
    bool isOpen = !getConstant(space.sizes[nest.turnedDim]) || !getConstant(space.sizes[*nest.laneDim]);
    emitter.either(
        fits, [&] { emitSquares(rows, columns); },
        [&] {
          if (!isOpen || tile / 2 < kFewest)
            return isOpen ? gatherApart(rows, columns, 1) : gather(rows, columns, tile);
          tile /= 2;
          emitBlock(rowBlock, columnBlock);
          tile *= 2;
        });
  }

  Range range(unsigned dim, Value block, int64_t extent) {
    Range range;
    range.begin = builder.createOrFold<arith::MulIOp>(loc, block, lanes.index(extent));
    Value after = builder.createOrFold<arith::AddIOp>(loc, range.begin, lanes.index(extent));
    range.end = builder.createOrFold<arith::MinSIOp>(loc, after, space.sizes[dim]);
    std::optional<int64_t> size = getConstant(space.sizes[dim]);
    Value count = builder.createOrFold<arith::SubIOp>(loc, range.end, range.begin);
    int64_t last = !size ? 0 : *size % extent == 0 ? std::min(*size, extent) : *size % extent;
    range.fits = last >= tile
                     ? Value(arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true)))
                     : builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, count, lanes.index(tile));
    range.whole = size && *size % tile == 0;
    return range;
  }

  // Along the sources' neighbours inside: the hardware's prefetchers follow as many streams as a square has rows.
  void emitSquares(const Range &rows, const Range &columns) {
    forEachSquare(columns, [&](Value column) { forEachSquare(rows, [&](Value row) { emitSquare(row, column); }); });
  }

  void forEachSquare(const Range &range, function_ref<void(Value)> body) {
    Value last = builder.createOrFold<arith::SubIOp>(loc, range.end, lanes.index(tile));
    emitter.loop(range.begin, range.end, tile, {}, [&](Value at, ValueRange) -> SmallVector<Value> {
      body(range.whole ? at : builder.createOrFold<arith::MinSIOp>(loc, at, last));
      return {};
    });
  }

  // The load's index, `row` and `column` being positions along the turned and the lane dimension.
  SmallVector<LaneValue> indexOf(const Load &load, LaneValue row, LaneValue column) {
    SmallVector<LaneValue> dims(index), at;
    dims[nest.turnedDim] = row;
    dims[*nest.laneDim] = column;
    for (AffineExpr expr : load.index)
      at.push_back(lanes.apply(expr, dims));
    return at;
  }

  SmallVector<Value> loadSquare(const Load &load, Value row, Value column) {
    SmallVector<Value> vectors;
    lanes.width = tile;
    for (int64_t i = 0; i < tile; ++i) {
      Value source = builder.createOrFold<arith::AddIOp>(loc, column, lanes.index(i));
      LaneValue loaded =
          emitter.evaluate(load.tensor, indexOf(load, LaneValue::affine(row, 1), LaneValue::uniform(source)));
      vectors.push_back(lanes.toVector(loaded));
    }
    lanes.width = 1;
    return turnSquare(builder, loc, vectors);
  }

  void emitSquare(Value row, Value column) {
    SmallVector<SmallVector<Value>> turned;
    for (const Load &load : nest.turned)
      turned.push_back(loadSquare(load, row, column));
    lanes.width = tile;
    for (int64_t i = 0; i < tile; ++i) {
      for (auto [load, vectors] : llvm::zip_equal(nest.turned, turned))
        emitter.bind(load.tensor, LaneValue::any(vectors[i]));
      index[nest.turnedDim] = LaneValue::uniform(builder.createOrFold<arith::AddIOp>(loc, row, lanes.index(i)));
      index[*nest.laneDim] = LaneValue::affine(column, 1);
      prefetchNext(column);
      emitter.store(output, index, emitter.evaluate(nest.value, index));
    }
    for (const Load &load : nest.turned)
      emitter.unbindRegisters(load.tensor);
    lanes.width = 1;
  }

  // Rows of the result are more streams than the hardware's prefetchers follow: each asks for its next line.
  void prefetchNext(Value column) {
    if (emitter.streaming)
      return;
    SmallVector<LaneValue> next = index;
    next[*nest.laneDim] = LaneValue::uniform(builder.createOrFold<arith::AddIOp>(loc, column, lanes.index(tile)));
    emitter.prefetchStore(output, next);
  }

  // Elements of few rows, whose number only the call knows, that lie as far apart along the lanes as there are rows:
  // code for each number knows how far.
  void gatherApart(const Range &rows, const Range &columns, int64_t step) {
    Value size = space.sizes[nest.turnedDim];
    if (getConstant(size) || step > kMostLoadStride ||
        !llvm::all_of(nest.turned, [&](const Load &load) { return load.index.size() > 1 && lieApart(load); }))
      return gather(rows, columns, tile);
    Value isStep = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, size, lanes.index(step));
    auto known = [&] {
      SmallVector<Buffer> buffers;
      for (const Load &load : nest.turned) {
        buffers.push_back(*emitter.findBuffer(load.tensor));
        Buffer apart = buffers.back();
        apart.strides[apart.strides.size() - 2] = lanes.index(step);
        emitter.bind(load.tensor, apart);
      }
      gather(rows, columns, nest.transpose.tile);
      for (auto [load, buffer] : llvm::zip_equal(nest.turned, buffers))
        emitter.bind(load.tensor, buffer);
    };
    emitter.either(isStep, known, [&] { gatherApart(rows, columns, step + 1); });
  }

  // Whether neighbours along the lanes are a row of the turned dimension apart in the whole memory of a tensor.
  bool lieApart(const Load &load) {
    std::optional<Buffer> buffer = emitter.findBuffer(load.tensor);
    MLIRContext *context = builder.getContext();
    return buffer && buffer->dims.size() == load.index.size() &&
           load.index[load.index.size() - 2] == getAffineDimExpr(*nest.laneDim, context) &&
           load.index.back() == getAffineDimExpr(nest.turnedDim, context);
  }

  void gather(const Range &rows, const Range &columns, int64_t width) {
    emitter.loop(rows.begin, rows.end, 1, {}, [&](Value row, ValueRange) -> SmallVector<Value> {
      index[nest.turnedDim] = LaneValue::uniform(row);
      forEachVector(emitter, columns.begin, columns.end, width, nest.masks, [&](LaneValue column) {
        index[*nest.laneDim] = column;
        emitter.store(output, index, emitter.evaluate(nest.value, index));
      });
      return {};
    });
  }

  const TransposePlan &nest;
  ElementEmitter &emitter;
  const Buffer &output;
  LaneBuilder &lanes;
  OpBuilder &builder;
  Location loc;
  TransposeSpace space;
  int64_t tile;
  SmallVector<LaneValue> index; // of the value
};

class TransposeNest : public Strategy {
public:
  explicit TransposeNest(const TransposePlan &nest) : nest(nest) {}

  Value workgroups(FunctionScalars &scalars) const override {
    return scalars.product(TransposeSpace(nest, scalars).grid);
  }
  void emit(ElementEmitter &emitter, const Workgroup &at) const override {
    Value rowElements = TransposeSpace(nest, emitter.scalars).sizes[*nest.laneDim];
    emitStreaming(nest, emitter, at.output, rowElements,
                  [&] { TransposeEmitter(nest, emitter, at.output).run(at.number); });
  }
  std::string describe() const override {
    const TransposeConfig &config = nest.transpose;
    std::string text = "transpose, squares of " + std::to_string(config.tile) + " in blocks of " +
                       std::to_string(config.rows) + "x" + std::to_string(config.columns);
    if (!nest.joined.empty() || !nest.turnedJoined.empty())
      text += ", rows of " + std::to_string(nest.joined.size() + 1) + " and " +
              std::to_string(nest.turnedJoined.size() + 1);
    return text;
  }

private:
  const TransposePlan &nest;
};

} // namespace

std::unique_ptr<Strategy> mlir::heddle::codegen::makeStrategy(const TransposePlan &nest) {
  return std::make_unique<TransposeNest>(nest);
}
