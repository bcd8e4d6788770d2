// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/CPU/WindowTile.h"

#include "compiler/Codegen/Plan/Combiner.h"

#include "mlir/IR/Matchers.h"

#include <map>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

WindowReads::WindowReads(const WindowsPlan &nest)
    : op(nest.step.op), input(getWindowInput(nest.step, nest.tileDims)),
      inputMap(op.getMatchingIndexingMap(input.operand)), columnDim(nest.tileDims.back()),
      columnLoop(*getLoopOf(nest.step, columnDim)), alongPositions(nest.alongPositions()) {
  op.getReductionDims(reductions);
  for (auto [dim, expr] : llvm::enumerate(inputMap.getResults()))
    if (expr.isFunctionOfDim(columnLoop))
      inputColumn = dim;
  if (input.pad)
    for (auto [dim, low, high] : llvm::enumerate(input.pad.getMixedLowPad(), input.pad.getMixedHighPad()))
      if (!isConstantIntValue(low, 0) || !isConstantIntValue(high, 0))
        padded.push_back(dim);
}

int64_t WindowReads::stepOfColumns() {
  SmallVector<int64_t> first(op.getNumLoops(), 0), second = first;
  second[columnLoop] = 1;
  AffineExpr expr = inputMap.getResult(inputColumn);
  return evaluateAt(expr, second) - evaluateAt(expr, first);
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

class TileEmitter : WindowReads {
public:
  TileEmitter(const WindowsPlan &nest, ElementEmitter &emitter, const Buffer &output, ArrayRef<LaneValue> index,
              int64_t height)
      : WindowReads(nest), nest(nest), emitter(emitter), output(output), lanes(emitter.lanes), builder(lanes.builder),
        loc(lanes.loc), sizes(emitter.scalars.sizes(nest.value)), height(height), index(index) {
    if (auto combiners = getCombiners(op)) {
      combiner = combiners->front();
      parts = nest.window.parts;
    }
  }

  void run(int64_t length) {
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

private:
  // The op's loop indices for the nest's index.
  SmallVector<LaneValue> opDims(ArrayRef<LaneValue> at) {
    SmallVector<LaneValue> result;
    for (int64_t position : nest.step.position)
      result.push_back(position < 0 ? lanes.constant(0) : at[position]);
    return emitter.loopIndices(op, 0, result);
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
          offset[*getLoopOf(nest.step, nest.tileDims.front())] = i;
        offset[*getLoopOf(nest.step, columnDim)] = j;
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

  // Where only the call knows where padding begins: the lanes of each column of the input that are not in it, once for
  // all rows.
  void findColumnMasks(ArrayRef<Group> groups) {
    columnMasks.clear();
    bool isPadded = alongPositions && llvm::is_contained(padded, inputColumn) && lanes.width > 1 &&
                    !emitter.isAssumedInside(input.pad, inputColumn);
    if (!isPadded || getConstant(sizes[columnDim]) || !input.pad.getConstantPaddingValue())
      return;
    Value size = emitter.scalars.size(input.pad.getSource(), inputColumn);
    for (const Group &group : groups) {
      Value &mask = columnMasks[group.where[inputColumn]];
      if (mask)
        continue;
      SmallVector<LaneValue> dims = offsetBy(base, group.terms.front().dims);
      LaneValue at = lanes.sub(lanes.apply(inputMap.getResult(inputColumn), dims),
                               LaneValue::uniform(emitter.scalars.toValue(input.pad.getMixedLowPad()[inputColumn])));
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
                               LaneValue::uniform(emitter.scalars.toValue(input.pad.getMixedLowPad()[dim])));
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
        at[dim] = lanes.add(at[dim], lanes.constant(position[*getLoopOf(nest.step, dim)]));
      emitter.bind(op->getResult(0), lanes.width == 1 ? LaneValue::uniform(accumulator) : LaneValue::any(accumulator));
      emitter.store(output, at, emitter.evaluate(nest.value, at));
      emitter.unbind(op->getResult(0));
    }
  }

  const WindowsPlan &nest;
  ElementEmitter &emitter;
  const Buffer &output;
  LaneBuilder &lanes;
  OpBuilder &builder;
  Location loc;
  SmallVector<Value> sizes;             // of the nest's value
  std::optional<Combiner> combiner;     // of partial sums
  int64_t parts = 1;                    // of each result
  int64_t height;                       // rows of the tile
  std::map<int64_t, Value> columnMasks; // by the input's column, lanes outside of padding
  SmallVector<LaneValue> index, base;   // of the tile's first position: the nest's dimensions, the op's loops
  std::map<std::vector<int64_t>, LaneValue> loaded; // by operand and index
};

} // namespace

void mlir::heddle::codegen::emitWindowTile(const WindowsPlan &nest, ElementEmitter &emitter, const Buffer &output,
                                           ArrayRef<LaneValue> index, int64_t height, int64_t length) {
  TileEmitter(nest, emitter, output, index, height).run(length);
}
