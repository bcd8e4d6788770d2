// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nests of kind Windows: tiles of height x length positions of a vector of channels, or of height rows of positions.
//
//   for each workgroup: a few rows of positions
//     for each tile of positions along the rows: those that touch the padding apart
//       for each vector of channels
//         for each input position under the tile: load it once, add it to all the results it belongs to
//         result = epilogue(accumulators)
//
// Along positions the last vector of a row ends with it: what the one before has computed is computed again.
#include "compiler/Codegen/Nest.h"
#include "compiler/Codegen/Window.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include <map>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

static Value divideUp(FunctionScalars &scalars, Value a, Value b) {
  return scalars.divide(scalars.sub(scalars.add(a, b), scalars.constant(1)), b);
}

// Rows of tiles of a workgroup of windows along positions.
static Value rowsOfPositions(const Nest &nest, FunctionScalars &scalars) {
  Value elements = scalars.mul(scalars.sizes(nest.value)[*nest.laneDim], scalars.constant(nest.window.height));
  Value rows = scalars.divide(scalars.constant(kElementsPerWorkgroup), scalars.max(elements, scalars.constant(1)));
  return scalars.max(rows, scalars.constant(1));
}

namespace {

// One product of the window: a position of the tile and the reduction's indices.
struct Term {
  size_t position;
  SmallVector<int64_t> dims; // of the op's loops, the tile's begin at 0
};

// The terms that read the input at one position.
struct Group {
  SmallVector<int64_t> where; // the input's index, the tile's begin at 0
  SmallVector<Term> terms;
};

class WindowEmitter {
public:
  WindowEmitter(const Nest &nest, ElementEmitter &emitter, const Buffer &output)
      : nest(nest), emitter(emitter), output(output), lanes(emitter.lanes), builder(lanes.builder), loc(lanes.loc),
        op(nest.steps.front().op), sizes(emitter.scalars.sizes(nest.value)),
        input(getWindowInput(nest.steps.front(), nest.tileDims)),
        alongPositions(liesAlongPositions(nest.tileDims, *nest.laneDim)), height(nest.window.height) {
    op.getReductionDims(reductions);
    if (auto combiners = getCombiners(op)) {
      combiner = combiners->front();
      parts = nest.window.parts;
    }
    inputMap = op.getMatchingIndexingMap(input.operand);
    for (auto [dim, expr] : llvm::enumerate(inputMap.getResults()))
      if (expr.isFunctionOfDim(*getLoopOf(nest.steps.front(), columnDim())))
        inputColumn = dim;
    if (input.pad)
      for (auto [dim, low, high] : llvm::enumerate(input.pad.getMixedLowPad(), input.pad.getMixedHighPad()))
        if (!isConstantIntValue(low, 0) || !isConstantIntValue(high, 0))
          padded.push_back(dim);
  }

  void run(Value workgroup) {
    SmallVector<Value> grid = windowGrid(nest, emitter.scalars), at = delinearize(emitter, workgroup, grid);
    index.assign(sizes.size(), lanes.constant(0));
    size_t next = 0;
    for (unsigned dim : nest.batchDims)
      index[dim] = LaneValue::uniform(at[next++]);
    if (alongPositions)
      return emitPositions(ArrayRef(at).drop_front(next));
    std::tie(laneBegin, laneEnd) = blockOf(at.back(), kWindowLanes, sizes[*nest.laneDim]);
    auto columns = [&] { emitColumns(lanes.index(0), sizes[columnDim()]); };
    nest.tileDims.size() > 1 ? emitRows(at[next], columns) : columns();
  }

private:
  unsigned columnDim() const { return nest.tileDims.back(); }

  Value times(Value value, int64_t factor) {
    return builder.createOrFold<arith::MulIOp>(loc, value, lanes.index(factor));
  }

  // The rows of tile `tile`. Where only the call knows how many there are, the last tile ends with them: what the one
  // before has computed is computed again; fewer rows than a tile has are computed one after the other.
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
      emitter.loop(lanes.index(0), size, 1, {}, [&](Value row, ValueRange) -> SmallVector<Value> {
        whole(row);
        return {};
      });
      height = nest.window.height;
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

  // `at`: blocks of rows of tiles, blocks of positions of a row.
  void emitPositions(ArrayRef<Value> at) {
    auto [begin, end] = blockOf(at.back(), kWindowPositions, sizes[columnDim()]);
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

  // The positions whose windows lie inside the input along the row.
  std::pair<Value, Value> columnsInside(Value begin, Value end) {
    SmallVector<int64_t> first(op.getNumLoops(), 0), last = first, ranges = op.getStaticLoopRanges();
    for (unsigned dim : reductions)
      last[dim] = ranges[dim] - 1;
    AffineExpr expr = inputMap.getResult(inputColumn);
    int64_t stride = stepOfColumns(), base = evaluateAt(expr, first);
    Value low = scalar(input.pad.getMixedLowPad()[inputColumn]);
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

  Value scalar(OpFoldResult value) {
    if (auto attr = dyn_cast<Attribute>(value))
      return lanes.index(cast<IntegerAttr>(attr).getInt());
    return emitter.scalars.get(cast<Value>(value));
  }

  // Positions whose windows reach into the padding, one by one; by masks where these make a vector of enough of them.
  // Elements that are apart take masks of their own.
  void coverBorder(Value begin, Value end) {
    if (!alongPositions)
      return cover(begin, end);
    int64_t fewest = stepOfColumns() == 1 ? 2 : 3;
    std::optional<int64_t> first = getConstant(begin), last = getConstant(end);
    bool vectors = nest.masks && first && last && *last - *first >= fewest;
    forEachVector(emitter, begin, end, vectors ? nest.width : 1, nest.masks, [&](LaneValue at) {
      index[columnDim()] = at;
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
    index[columnDim()] = LaneValue::affine(begin, 1);
    emitTile(1);
    lanes.width = 1;
    lanes.mask = {};
  }

  // How far apart neighbouring positions of a row read the input.
  int64_t stepOfColumns() {
    SmallVector<int64_t> first(op.getNumLoops(), 0), second = first;
    second[*getLoopOf(nest.steps.front(), columnDim())] = 1;
    AffineExpr expr = inputMap.getResult(inputColumn);
    return evaluateAt(expr, second) - evaluateAt(expr, first);
  }

  // Vectors of positions, the last one of which ends with them; where there are fewer, narrower vectors or masks.
  void coverPositions(Value begin, Value end, int64_t width) {
    std::optional<int64_t> first = getConstant(begin), last = getConstant(end);
    auto emit = [&](LaneValue at) {
      index[columnDim()] = at;
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
    auto tiles = [&](Value from, Value to, int64_t length) {
      emitter.loop(from, to, length, {}, [&](Value column, ValueRange) -> SmallVector<Value> {
        index[columnDim()] = LaneValue::uniform(column);
        forEachVector(emitter, laneBegin, laneEnd, nest.width, nest.masks, [&](LaneValue lane) {
          index[*nest.laneDim] = lane;
          emitTile(length);
        });
        return {};
      });
    };
    int64_t length = nest.window.length;
    std::optional<int64_t> first = getConstant(begin), last = getConstant(end);
    if (first && last) {
      int64_t rest = std::max<int64_t>(*last - *first, 0) % length;
      tiles(begin, lanes.index(*last - rest), length);
      return tiles(lanes.index(*last - rest), end, std::max<int64_t>(rest, 1));
    }
    // Of a row whose length only the call knows, ever smaller tiles.
    for (;; length = llvm::divideCeil(length, 2)) {
      Value count = builder.createOrFold<arith::SubIOp>(loc, end, begin);
      Value rest = builder.createOrFold<arith::RemUIOp>(loc, count, lanes.index(length));
      Value full = builder.createOrFold<arith::SubIOp>(loc, end, rest);
      tiles(begin, full, length);
      begin = full;
      if (length == 1)
        break;
    }
  }

  //===--- One tile ----------------------------------------------------------------------------------------------===//

  // The op's loop indices for the nest's index.
  SmallVector<LaneValue> opDims(ArrayRef<LaneValue> at) {
    SmallVector<LaneValue> result;
    for (int64_t position : nest.steps.front().position)
      result.push_back(position < 0 ? lanes.constant(0) : at[position]);
    SmallVector<LaneValue> dims = emitter.loopIndices(op, 0, result);
    for (unsigned dim : reductions)
      dims[dim] = lanes.constant(0);
    return dims;
  }

  SmallVector<LaneValue> offsetBy(ArrayRef<LaneValue> base, ArrayRef<int64_t> offsets) {
    SmallVector<LaneValue> dims(base);
    for (auto [dim, offset] : llvm::zip(dims, offsets))
      if (offset != 0)
        dim = lanes.add(dim, lanes.constant(offset));
    return dims;
  }

  // The offsets of the tile's positions in the op's loops.
  SmallVector<SmallVector<int64_t>> tilePositions(int64_t length) {
    SmallVector<SmallVector<int64_t>> positions;
    for (int64_t i = 0; i < (nest.tileDims.size() > 1 ? height : 1); ++i)
      for (int64_t j = 0; j < length; ++j) {
        SmallVector<int64_t> offset(op.getNumLoops(), 0);
        if (nest.tileDims.size() > 1)
          offset[*getLoopOf(nest.steps.front(), nest.tileDims.front())] = i;
        offset[*getLoopOf(nest.steps.front(), columnDim())] = j;
        positions.push_back(offset);
      }
    return positions;
  }

  // In the order of the input in memory; each position's terms in the order of the reduction.
  std::vector<Group> makeGroups(ArrayRef<SmallVector<int64_t>> positions) {
    std::map<std::vector<int64_t>, Group> groups;
    SmallVector<int64_t> sizes = op.getStaticLoopRanges();
    for (auto [number, position] : llvm::enumerate(positions)) {
      SmallVector<int64_t> dims(position);
      std::function<void(size_t)> walk = [&](size_t depth) {
        if (depth < reductions.size()) {
          for (int64_t &k = dims[reductions[depth]] = 0; k < sizes[reductions[depth]]; ++k)
            walk(depth + 1);
          return;
        }
        std::vector<int64_t> where;
        for (AffineExpr expr : inputMap.getResults())
          where.push_back(evaluateAt(expr, dims));
        Group &group = groups[where];
        group.where.assign(where.begin(), where.end());
        group.terms.push_back({number, dims});
      };
      walk(0);
    }
    std::vector<Group> ordered;
    for (auto &[where, group] : groups)
      ordered.push_back(std::move(group));
    return ordered;
  }

  void emitTile(int64_t length) {
    SmallVector<SmallVector<int64_t>> positions = tilePositions(length);
    base = opDims(index);
    loaded.clear();
    SmallVector<Value> accumulators = startSums(positions);
    std::vector<Group> groups = makeGroups(positions);
    findColumnMasks(groups);
    if (nest.window.keepsWeights)
      for (const Group &group : groups)
        for (const Term &term : group.terms)
          readOthers(term);
    for (size_t i = 0; i < groups.size();) {
      size_t end = i + 1;
      while (end < groups.size() && rowOf(groups[end]) == rowOf(groups[i]))
        ++end;
      emitRow(ArrayRef(groups).slice(i, end - i), accumulators);
      i = end;
    }
    storeTile(positions, accumulators);
  }

  // Where only the call knows where padding begins: the lanes of each column of the input that are not in it, once for
  // all rows.
  void findColumnMasks(ArrayRef<Group> groups) {
    columnMasks.clear();
    bool isPadded = alongPositions && padded.size() > 1 && llvm::is_contained(padded, inputColumn) && lanes.width > 1 &&
                    !emitter.isAssumedInside(input.pad, inputColumn);
    if (!isPadded || getConstant(sizes[columnDim()]) || !input.pad.getConstantPaddingValue())
      return;
    Value size = emitter.scalars.size(input.pad.getSource(), inputColumn);
    for (const Group &group : groups) {
      Value &mask = columnMasks[group.where[inputColumn]];
      if (mask)
        continue;
      SmallVector<LaneValue> dims = offsetBy(base, group.terms.front().dims);
      LaneValue at = lanes.sub(lanes.apply(inputMap.getResult(inputColumn), dims),
                               LaneValue::uniform(scalar(input.pad.getMixedLowPad()[inputColumn])));
      mask = lanes.toVector(lanes.isInside(at, LaneValue::uniform(size)));
    }
  }

  // The input's elements at a group's place.
  LaneValue readInput(const Group &group) {
    auto mask = columnMasks.find(group.where[inputColumn]);
    if (mask == columnMasks.end())
      return read(*input.operand, group.terms.front().dims);
    Value saved = lanes.mask;
    lanes.mask = saved ? builder.createOrFold<arith::AndIOp>(loc, saved, mask->second) : mask->second;
    emitter.assumeInside(input.pad, inputColumn, true);
    LaneValue inside = read(*input.operand, group.terms.front().dims);
    emitter.assumeInside(input.pad, inputColumn, false);
    lanes.mask = saved;
    Value padding = emitter.scalars.get(input.pad.getConstantPaddingValue());
    if (matchPattern(padding, m_PosZeroFloat()) || matchPattern(padding, m_Zero()))
      return inside; // what a load gives where its mask is off
    return lanes.select(LaneValue::any(mask->second), inside, LaneValue::uniform(padding));
  }

  // The sums of each position, one after the other: the first begins with what the op does, others with nothing.
  SmallVector<Value> startSums(ArrayRef<SmallVector<int64_t>> positions) {
    SmallVector<Value> sums;
    for (ArrayRef<int64_t> position : positions) {
      sums.push_back(vectorOf(read(*op.getDpsInitOperand(0), position)));
      for (int64_t part = 1; part < parts; ++part) {
        Value none = arith::ConstantOp::create(builder, loc, combiner->neutral);
        sums.push_back(vectorOf(LaneValue::uniform(none)));
      }
    }
    return sums;
  }

  // What decides whether the position is padding, but for the column.
  SmallVector<int64_t> rowOf(const Group &group) {
    SmallVector<int64_t> row;
    for (unsigned dim : padded)
      if (dim != inputColumn)
        row.push_back(group.where[dim]);
    return row;
  }

  // The terms of one row of the input: those of a row of padding read its value.
  void emitRow(ArrayRef<Group> groups, SmallVector<Value> &accumulators) {
    SmallVector<LaneValue> dims = offsetBy(base, groups.front().terms.front().dims);
    LaneValue inside = LaneValue::uniform(arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true)));
    for (unsigned dim : padded) {
      if (dim == inputColumn)
        continue;
      LaneValue at = lanes.sub(lanes.apply(inputMap.getResult(dim), dims),
                               LaneValue::uniform(scalar(input.pad.getMixedLowPad()[dim])));
      LaneValue size = LaneValue::uniform(emitter.scalars.size(input.pad.getSource(), dim));
      inside = lanes.logicalAnd(inside, lanes.compare(arith::CmpIPredicate::ult, at, size));
    }
    Value padding = input.pad ? input.pad.getConstantPaddingValue() : Value();
    if (!padding)
      return emitGroups(groups, {}, accumulators);
    for (unsigned dim : padded)
      if (dim != inputColumn)
        emitter.assumeInside(input.pad, dim, true);
    accumulators = emitter.branches(
        inside.base, ValueRange(accumulators).getTypes(),
        [&] {
          SmallVector<Value> next(accumulators);
          emitGroups(groups, {}, next);
          return next;
        },
        [&] {
          SmallVector<Value> next(accumulators);
          emitGroups(groups, LaneValue::uniform(emitter.scalars.get(padding)), next);
          return next;
        });
    for (unsigned dim : padded)
      if (dim != inputColumn)
        emitter.assumeInside(input.pad, dim, false);
  }

  // `value`: of the input, where it is known.
  void emitGroups(ArrayRef<Group> groups, std::optional<LaneValue> value, SmallVector<Value> &accumulators) {
    auto outer = loaded;
    SmallVector<int64_t> next(accumulators.size() / parts, 0); // which of a position's sums takes its next term
    for (const Group &group : groups) {
      LaneValue x = value ? *value : readInput(group);
      for (const Term &term : group.terms) {
        DenseMap<Value, LaneValue> arguments = readOthers(term);
        arguments[op.getMatchingBlockArgument(input.operand)] = x;
        Value &accumulator = accumulators[term.position * parts + next[term.position]++ % parts];
        arguments[op.getRegionOutputArgs()[0]] =
            lanes.width == 1 ? LaneValue::uniform(accumulator) : LaneValue::any(accumulator);
        accumulator = vectorOf(emitter.evaluateBody(op, offsetBy(base, term.dims), arguments)[0]);
      }
    }
    loaded = std::move(outer);
  }

  // The body's arguments but the window's input and the accumulator.
  DenseMap<Value, LaneValue> readOthers(const Term &term) {
    DenseMap<Value, LaneValue> arguments;
    for (OpOperand *operand : op.getDpsInputOperands())
      if (operand != input.operand && !op.getMatchingBlockArgument(operand).use_empty())
        arguments[op.getMatchingBlockArgument(operand)] = read(*operand, term.dims);
    return arguments;
  }

  LaneValue read(OpOperand &operand, ArrayRef<int64_t> offsets) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    std::vector<int64_t> key = {operand.getOperandNumber()};
    for (AffineExpr expr : map.getResults())
      key.push_back(evaluateAt(expr, offsets));
    if (auto known = loaded.find(key); known != loaded.end())
      return known->second;
    SmallVector<LaneValue> dims = offsetBy(base, offsets), where;
    for (AffineExpr expr : map.getResults())
      where.push_back(lanes.apply(expr, dims));
    return loaded[key] = emitter.evaluate(operand.get(), where);
  }

  Value vectorOf(LaneValue value) { return lanes.width == 1 ? value.base : lanes.toVector(value); }

  void storeTile(ArrayRef<SmallVector<int64_t>> positions, ArrayRef<Value> accumulators) {
    for (auto [number, position] : llvm::enumerate(positions)) {
      Value accumulator = accumulators[number * parts];
      for (Value part : accumulators.slice(number * parts + 1, parts - 1))
        accumulator = vector::makeArithReduction(builder, loc, combiner->kind, accumulator, part);
      SmallVector<LaneValue> at(index);
      for (unsigned dim : nest.tileDims)
        at[dim] = lanes.add(at[dim], lanes.constant(position[*getLoopOf(nest.steps.front(), dim)]));
      emitter.bind(op->getResult(0), lanes.width == 1 ? LaneValue::uniform(accumulator) : LaneValue::any(accumulator));
      emitter.store(output, at, emitter.evaluate(nest.value, at));
      emitter.unbind(op->getResult(0));
    }
  }

  const Nest &nest;
  ElementEmitter &emitter;
  const Buffer &output;
  LaneBuilder &lanes;
  OpBuilder &builder;
  Location loc;
  linalg::GenericOp op;
  SmallVector<Value> sizes; // of the nest's value
  WindowInput input;
  bool alongPositions;
  std::optional<Combiner> combiner;     // of partial sums
  int64_t parts = 1;                    // of each result
  int64_t height;                       // rows of the tile being emitted
  std::map<int64_t, Value> columnMasks; // of the tile: by the input's column, lanes outside of padding
  AffineMap inputMap;
  unsigned inputColumn = 0; // the input's dimension that moves along the row
  SmallVector<unsigned> padded, reductions;
  SmallVector<LaneValue> index, base; // of the tile's first position: the nest's dimensions, the op's loops
  Value laneBegin, laneEnd;
  std::map<std::vector<int64_t>, LaneValue> loaded; // by operand and index
};

} // namespace

SmallVector<Value> mlir::heddle::codegen::windowGrid(const Nest &nest, FunctionScalars &scalars) {
  SmallVector<Value> sizes = scalars.sizes(nest.value), grid;
  bool alongPositions = liesAlongPositions(nest.tileDims, *nest.laneDim);
  for (unsigned dim : nest.batchDims)
    grid.push_back(sizes[dim]);
  if (nest.tileDims.size() > 1) {
    grid.push_back(scalars.ceilDiv(sizes[nest.tileDims.front()], nest.window.height));
    if (alongPositions)
      grid.back() = divideUp(scalars, grid.back(), rowsOfPositions(nest, scalars));
  }
  grid.push_back(scalars.ceilDiv(sizes[*nest.laneDim], alongPositions ? kWindowPositions : kWindowLanes));
  return grid;
}

void mlir::heddle::codegen::emitWindow(const Nest &nest, ElementEmitter &emitter, Value workgroup,
                                       const Buffer &output) {
  WindowEmitter(nest, emitter, output).run(workgroup);
}
