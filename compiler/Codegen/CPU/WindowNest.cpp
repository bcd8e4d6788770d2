// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nests of windows: tiles of height x length positions of a vector of channels, or of height rows of positions.
//
//   for each workgroup: a few rows of positions
//     for each tile of positions along the rows: those that touch the padding apart
//       for each vector of channels
//         for each input position under the tile: load it once, add it to all the results it belongs to
//         result = epilogue(accumulators)
//
// Along positions the last vector of a row ends with it: what the one before has computed is computed again.
#include "compiler/Codegen/CPU/Strategy.h"
#include "compiler/Codegen/CPU/WindowTile.h"
#include "compiler/Codegen/Emit/VectorLoops.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

static Value divideUp(FunctionScalars &scalars, Value a, Value b) {
  return scalars.divide(scalars.sub(scalars.add(a, b), scalars.constant(1)), b);
}

// Rows of tiles of a workgroup of windows along positions.
static Value rowsOfPositions(const WindowsPlan &nest, FunctionScalars &scalars) {
  Value elements = scalars.mul(scalars.sizes(nest.value)[*nest.laneDim], scalars.constant(nest.window.height));
  Value rows = scalars.divide(scalars.constant(kElementsPerWorkgroup), scalars.max(elements, scalars.constant(1)));
  return scalars.max(rows, scalars.constant(1));
}

// A row whose length only the call knows is one block where there are more rows: masks and bounds then depend on
// nothing but sizes, and are computed once for all workgroups.
static bool isCutAlongLanes(const WindowsPlan &nest) {
  auto type = cast<RankedTensorType>(nest.value.getType());
  return !type.isDynamicDim(*nest.laneDim) || nest.tileDims.size() < 2;
}

// Workgroups along each dimension: batch dimensions, rows of tiles, blocks of channels.
static SmallVector<Value> windowGrid(const WindowsPlan &nest, FunctionScalars &scalars) {
  SmallVector<Value> sizes = scalars.sizes(nest.value), grid;
  bool alongPositions = nest.alongPositions();
  for (unsigned dim : nest.batchDims)
    grid.push_back(sizes[dim]);
  if (nest.tileDims.size() > 1) {
    grid.push_back(scalars.ceilDiv(sizes[nest.tileDims.front()], nest.window.height));
    if (alongPositions)
      grid.back() = divideUp(scalars, grid.back(), rowsOfPositions(nest, scalars));
  }
  grid.push_back(isCutAlongLanes(nest)
                     ? scalars.ceilDiv(sizes[*nest.laneDim], alongPositions ? kWindowPositions : kWindowLanes)
                     : scalars.constant(1));
  return grid;
}

namespace {

class WindowEmitter : WindowReads {
public:
  WindowEmitter(const WindowsPlan &nest, ElementEmitter &emitter, const Buffer &output)
      : WindowReads(nest), nest(nest), emitter(emitter), output(output), lanes(emitter.lanes), builder(lanes.builder),
        loc(lanes.loc), sizes(emitter.scalars.sizes(nest.value)), height(nest.window.height) {}

  void run(Value workgroup) {
    SmallVector<Value> grid = windowGrid(nest, emitter.scalars), at = delinearize(emitter, workgroup, grid);
    index.assign(sizes.size(), lanes.constant(0));
    size_t next = 0;
    for (unsigned dim : nest.batchDims)
      index[dim] = LaneValue::uniform(at[next++]);
    if (alongPositions)
      return emitPositions(ArrayRef(at).drop_front(next));
    std::tie(laneBegin, laneEnd) = blockAlongLanes(at.back());
    auto columns = [&] { emitColumns(lanes.index(0), sizes[columnDim]); };
    nest.tileDims.size() > 1 ? emitRows(at[next], columns) : columns();
  }

private:
  // `length` positions of the rows of a tile, from where `index` is.
  void emitTile(int64_t length) { emitWindowTile(nest, emitter, output, index, height, length); }

  Value times(Value value, int64_t factor) {
    return builder.createOrFold<arith::MulIOp>(loc, value, lanes.index(factor));
  }

  // The rows of tile `tile`. Where only the call knows how many there are, the last tile ends with them: what the one
  // before has computed is computed again; fewer rows than a tile has are computed one after the other, of
  // channels by one code for borders and what lies between them.
  void emitRows(Value tile, function_ref<void()> emit) {
    unsigned dim = nest.tileDims.front();
    Value first = times(tile, nest.window.height), size = sizes[dim];
    auto whole = [&](Value row) {
      index[dim] = LaneValue::uniform(row);
      emit();
    };
    if (nest.window.height == 1 || getConstant(size))
      return whole(first);
    Value last = builder.createOrFold<arith::SubIOp>(loc, size, lanes.index(nest.window.height));
    Value fits = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, last, lanes.index(0));
    auto one = [&] {
      height = 1;
      isOneCode = !alongPositions;
      emitter.loop(lanes.index(0), size, 1, {}, [&](Value row, ValueRange) -> SmallVector<Value> {
        whole(row);
        return {};
      });
      height = nest.window.height;
      isOneCode = false;
    };
    emitter.either(fits, [&] { whole(builder.createOrFold<arith::MinSIOp>(loc, first, last)); }, one);
  }

  // A block of at most so many of `size` positions.
  std::pair<Value, Value> blockOf(Value block, int64_t most, Value size) {
    if (std::optional<int64_t> all = getConstant(size); all && *all <= most)
      return {lanes.index(0), size};
    Value begin = times(block, most), after = builder.createOrFold<arith::AddIOp>(loc, begin, lanes.index(most));
    return {begin, builder.createOrFold<arith::MinSIOp>(loc, after, size)};
  }

  std::pair<Value, Value> blockAlongLanes(Value block) {
    Value size = sizes[*nest.laneDim];
    if (!isCutAlongLanes(nest))
      return {lanes.index(0), size};
    return blockOf(block, alongPositions ? kWindowPositions : kWindowLanes, size);
  }

  // `at`: blocks of rows of tiles, blocks of positions of a row.
  void emitPositions(ArrayRef<Value> at) {
    auto [begin, end] = blockAlongLanes(at.back());
    if (nest.tileDims.size() == 1)
      return emitColumns(begin, end);
    Value rows = emitter.scalars.ceilDiv(sizes[nest.tileDims.front()], nest.window.height),
          most = rowsOfPositions(nest, emitter.scalars);
    Value first = builder.createOrFold<arith::MulIOp>(loc, at.front(), most);
    Value after = builder.createOrFold<arith::AddIOp>(loc, first, most);
    emitter.loop(first, builder.createOrFold<arith::MinSIOp>(loc, after, rows), 1, {},
                 [&, begin = begin, end = end](Value row, ValueRange) -> SmallVector<Value> {
                   emitRows(row, [&] { emitColumns(begin, end); });
                   return {};
                 });
  }

  // Covers the positions of a row; those whose windows reach into the padding apart.
  void emitColumns(Value begin, Value end) {
    if (isOneCode)
      return coverTiles(begin, end, nest.window.length);
    std::optional<int64_t> all = getConstant(end);
    bool oneTile = !alongPositions && all && *all <= nest.window.length;
    if (!llvm::is_contained(padded, inputColumn) || oneTile)
      return cover(begin, end);
    if (fitsOneVector(begin, end))
      return coverBorder(begin, end);
    auto [from, to] = columnsInside(begin, end);
    if (bordersAreVectors(begin, from, to, end))
      return coverLongRow(begin, end);
    if (isOpenRow(begin, end))
      return coverOpenRow(begin, from, to, end);
    coverBorder(begin, from);
    emitter.assumeInside(input.pad, inputColumn, true);
    cover(from, to);
    emitter.assumeInside(input.pad, inputColumn, false);
    coverBorder(to, end);
  }

  // Of a tile of a border: no longer than a border of the input's padding is.
  int64_t borderLength() {
    int64_t length = nest.window.length, most = 1, step = std::max<int64_t>(stepOfColumns(), 1);
    for (OpFoldResult amount : {input.pad.getMixedLowPad()[inputColumn], input.pad.getMixedHighPad()[inputColumn]}) {
      int64_t positions = (getConstantIntValue(amount).value_or(1) + step - 1) / step;
      most = std::max(most, positions);
    }
    while (length > most)
      length = llvm::divideCeil(length, 2);
    return length;
  }

  // The positions whose windows lie inside the input along the row.
  std::pair<Value, Value> columnsInside(Value begin, Value end) {
    SmallVector<int64_t> first(op.getNumLoops(), 0), last = first, ranges = op.getStaticLoopRanges();
    for (unsigned dim : reductions)
      last[dim] = ranges[dim] - 1;
    AffineExpr expr = inputMap.getResult(inputColumn);
    int64_t stride = stepOfColumns(), base = evaluateAt(expr, first);
    Value low = emitter.scalars.toValue(input.pad.getMixedLowPad()[inputColumn]);
    Value size = emitter.scalars.size(input.pad.getSource(), inputColumn);
    auto add = [&](Value a, int64_t b) { return builder.createOrFold<arith::AddIOp>(loc, a, lanes.index(b)); };
    auto divide = [&](Value a) { // of what may be negative: the caller clamps
      Value positive = builder.createOrFold<arith::MaxSIOp>(loc, a, lanes.index(0));
      return builder.createOrFold<arith::DivUIOp>(loc, positive, lanes.index(stride));
    };
    Value from = builder.createOrFold<arith::MaxSIOp>(loc, divide(add(low, stride - 1 - base)), begin);
    Value bottom = builder.createOrFold<arith::AddIOp>(loc, low, size);
    Value to = divide(add(bottom, stride - 1 - evaluateAt(expr, last)));
    to = builder.createOrFold<arith::MaxSIOp>(loc, builder.createOrFold<arith::MinSIOp>(loc, to, end), begin);
    from = builder.createOrFold<arith::MinSIOp>(loc, from, to);
    return {from, to};
  }

  // Positions whose windows reach into the padding, one by one; by masks where these make a vector of enough of them.
  // Elements that are apart take masks of their own.
  void coverBorder(Value begin, Value end) {
    if (!alongPositions)
      return getConstant(begin) && getConstant(end) ? cover(begin, end) : coverTiles(begin, end, borderLength());
    int64_t fewest = stepOfColumns() == 1 ? 2 : 3;
    std::optional<int64_t> first = getConstant(begin), last = getConstant(end);
    bool vectors = nest.masks && first && last && *last - *first >= fewest;
    forEachVector(emitter, begin, end, vectors ? nest.width : 1, nest.masks, [&](LaneValue at) {
      index[columnDim] = at;
      emitTile(1);
    });
  }

  // Masks of lanes in the padding cost less than tiles of its borders.
  bool fitsOneVector(Value begin, Value end) {
    std::optional<int64_t> first = getConstant(begin), last = getConstant(end);
    return alongPositions && nest.masks && first && last && *last - *first <= nest.width && stepOfColumns() == 1;
  }

  // Whether the row is two vectors and more of neighbours, the first and last of which have all that reaches into
  // padding.
  bool bordersAreVectors(Value begin, Value from, Value to, Value end) {
    std::optional<int64_t> first = getConstant(begin), inside = getConstant(from), outside = getConstant(to),
                           last = getConstant(end);
    return alongPositions && nest.masks && nest.width > 1 && stepOfColumns() == 1 && first && inside && outside &&
           last && *last - *first >= 2 * nest.width && *inside - *first <= nest.width && *last - *outside <= nest.width;
  }

  // Masks of lanes in the padding cost less than vectors of nothing else.
  void coverLongRow(Value begin, Value end) {
    Value second = builder.createOrFold<arith::AddIOp>(loc, begin, lanes.index(nest.width));
    Value last = builder.createOrFold<arith::SubIOp>(loc, end, lanes.index(nest.width));
    cover(begin, second);
    emitter.assumeInside(input.pad, inputColumn, true);
    cover(second, last);
    emitter.assumeInside(input.pad, inputColumn, false);
    cover(last, end);
  }

  bool isOpenRow(Value begin, Value end) {
    return alongPositions && nest.masks && nest.width > 1 && stepOfColumns() == 1 &&
           !(getConstant(begin) && getConstant(end));
  }

  // A row whose length only the call knows. By masks: all of at most one vector, the first and the last of two and more
  // that have all that reaches into padding. Else what reaches into it is computed one by one.
  void coverOpenRow(Value begin, Value from, Value to, Value end) {
    auto sub = [&](Value a, Value b) { return builder.createOrFold<arith::SubIOp>(loc, a, b); };
    auto atMost = [&](Value a, Value b) {
      return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sle, a, b);
    };
    auto select = [&](Value condition, Value a, Value b) {
      return builder.createOrFold<arith::SelectOp>(loc, condition, a, b);
    };
    Value width = lanes.index(nest.width), count = sub(end, begin);
    Value border = builder.createOrFold<arith::MaxSIOp>(loc, sub(from, begin), sub(end, to));
    Value isLong =
        builder.createOrFold<arith::AndIOp>(loc, atMost(lanes.index(2 * nest.width), count), atMost(border, width));
    Value masked = builder.createOrFold<arith::OrIOp>(loc, isLong, atMost(count, width));
    Value second =
        builder.createOrFold<arith::MinSIOp>(loc, builder.createOrFold<arith::AddIOp>(loc, begin, width), end);
    Value last = sub(end, select(isLong, width, lanes.index(0)));
    auto byMasks = [&] {
      emitMasked(begin, second);
      emitter.when(isLong, [&] { emitMasked(last, end); });
    };
    auto oneByOne = [&] {
      emitter.loop(lanes.index(0), lanes.index(2), 1, {}, [&](Value part, ValueRange) -> SmallVector<Value> {
        Value isFirst = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, part, lanes.index(0));
        coverBorder(select(isFirst, begin, to), select(isFirst, from, end));
        return {};
      });
    };
    emitter.either(masked, byMasks, oneByOne);
    emitter.assumeInside(input.pad, inputColumn, true);
    cover(select(masked, second, from), select(masked, last, to));
    emitter.assumeInside(input.pad, inputColumn, false);
  }

  // At most a vector of positions under a mask, which depends on nothing but where they lie in a row.
  void emitMasked(Value begin, Value end) {
    lanes.width = nest.width;
    lanes.mask = maskBelow(emitter, builder.createOrFold<arith::SubIOp>(loc, end, begin), nest.width);
    index[columnDim] = LaneValue::affine(begin, 1);
    emitTile(1);
    lanes.width = 1;
    lanes.mask = {};
  }

  // Vectors of positions, the last one of which ends with them; where there are fewer, narrower vectors or masks.
  void coverPositions(Value begin, Value end, int64_t width) {
    std::optional<int64_t> first = getConstant(begin), last = getConstant(end);
    auto emit = [&](LaneValue at) {
      index[columnDim] = at;
      emitTile(1);
    };
    auto whole = [&] {
      Value limit = builder.createOrFold<arith::SubIOp>(loc, end, lanes.index(width));
      emitter.loop(begin, end, width, {}, [&](Value i, ValueRange) -> SmallVector<Value> {
        bool divides = first && last && (*last - *first) % width == 0;
        Value at = divides ? i : builder.createOrFold<arith::MinSIOp>(loc, i, limit);
        lanes.width = width;
        emit(LaneValue::affine(at, width == 1 ? 0 : 1));
        lanes.width = 1;
        return {};
      });
    };
    if (first && last) {
      int64_t count = *last - *first;
      if (count >= width || width == 1)
        return whole();
      return nest.masks ? forEachVector(emitter, begin, end, width, true, emit) : coverPositions(begin, end, width / 2);
    }
    Value count = builder.createOrFold<arith::SubIOp>(loc, end, begin);
    emitter.either(
        builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, count, lanes.index(width)), whole, [&] {
          if (!nest.masks)
            return forEachVector(emitter, begin, end, 1, false, emit);
          Value some = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sgt, count, lanes.index(0));
          emitter.when(some, [&] { emitMasked(begin, end); });
        });
  }

  void cover(Value begin, Value end) {
    if (alongPositions)
      return coverPositions(begin, end, nest.width);
    int64_t length = nest.window.length;
    std::optional<int64_t> first = getConstant(begin), last = getConstant(end);
    if (!first || !last)
      return coverTiles(begin, end, length);
    int64_t rest = std::max<int64_t>(*last - *first, 0) % length;
    addTiles(begin, lanes.index(*last - rest), length);
    addTiles(lanes.index(*last - rest), end, std::max<int64_t>(rest, 1));
  }

  // Positions whose number only the call knows: tiles of `length`, then ever smaller ones.
  void coverTiles(Value begin, Value end, int64_t length) {
    for (;; length = llvm::divideCeil(length, 2)) {
      Value count = builder.createOrFold<arith::SubIOp>(loc, end, begin);
      Value rest = builder.createOrFold<arith::RemUIOp>(loc, count, lanes.index(length));
      Value full = builder.createOrFold<arith::SubIOp>(loc, end, rest);
      addTiles(begin, full, length);
      begin = full;
      if (length == 1)
        break;
    }
  }

  // Tiles of `length` positions, of all channels of the workgroup.
  void addTiles(Value from, Value to, int64_t length) {
    emitter.loop(from, to, length, {}, [&](Value column, ValueRange) -> SmallVector<Value> {
      index[columnDim] = LaneValue::uniform(column);
      forEachVector(emitter, laneBegin, laneEnd, nest.width, nest.masks, [&](LaneValue lane) {
        index[*nest.laneDim] = lane;
        emitTile(length);
      });
      return {};
    });
  }

  const WindowsPlan &nest;
  ElementEmitter &emitter;
  const Buffer &output;
  LaneBuilder &lanes;
  OpBuilder &builder;
  Location loc;
  SmallVector<Value> sizes;     // of the nest's value
  int64_t height;               // rows of the tile being emitted
  bool isOneCode = false;       // borders and what lies between them by the same tiles
  SmallVector<LaneValue> index; // of the tile's first position
  Value laneBegin, laneEnd;
};

class WindowsNest : public Strategy {
public:
  explicit WindowsNest(const WindowsPlan &nest) : nest(nest) {}

  Value workgroups(FunctionScalars &scalars) const override { return scalars.product(windowGrid(nest, scalars)); }
  void emit(ElementEmitter &emitter, const Workgroup &at) const override {
    WindowEmitter(nest, emitter, at.output).run(at.number);
  }
  std::string describe() const override {
    return "windows, tile " + std::to_string(nest.window.height) + "x" + std::to_string(nest.window.length) + "x" +
           std::to_string(nest.width) + (nest.alongPositions() ? " positions" : "");
  }
  bool isScalar() const override { return nest.width == 1; }
  Unrolled unrolled() const override { return nest.alongPositions() ? Unrolled::Nothing : Unrolled::Tiles; }

private:
  const WindowsPlan &nest;
};

} // namespace

std::unique_ptr<Strategy> mlir::heddle::codegen::makeStrategy(const WindowsPlan &nest) {
  return std::make_unique<WindowsNest>(nest);
}
