// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Emit/Rows/ScatterInOrder.h"

#include "compiler/Stages/Import/Emit/Rows/RowCode.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::importer;
using Values = RowCode::Values;

namespace {

// What one row of the scalar code computes: some positions and columns of one `outer`.
struct Block {
  Value outer, begin, end, firstColumn, endColumn;
  Value ofUpdates = {}, count = {}; // the outer row of the updates, and how many there are
  Value endOfUpdates = {};          // of the columns
};

class Scatter {
public:
  // `part`: of the data that there are updates for; null: all.
  Scatter(Emitter &emitter, Tensor &data, Tensor &positions, Tensor &updates, const OuterSizes *part = nullptr)
      : emitter(emitter), sizes(emitter.sizes), perColumn(positions.rank() == 3), elementType(data.elementType),
        shape(data.sizes) {
    OpFoldResult one = sizes.constant(1), outer = shape[0], size = shape[1], inner = shape[2];
    OpFoldResult count = updates.sizes[1];
    columnBlocks = sizes.max(sizes.ceilDiv(inner, sizes.constant(width)), one);
    OpFoldResult atLeast = sizes.max(sizes.mul(count, sizes.constant(emitter.forms.scatterPositions)), one);
    OpFoldResult most = sizes.min(sizes.floorDiv(size, atLeast), sizes.constant(emitter.forms.mostScatterBlocks));
    most = sizes.min(most, sizes.floorDiv(sizes.mul(size, inner), sizes.constant(emitter.forms.scatterElements)));
    positionBlocks = sizes.max(most, one);
    rows = sizes.mul(outer, sizes.mul(columnBlocks, positionBlocks));
    length = sizes.value(sizes.max(sizes.ceilDiv(size, positionBlocks), one));
    flat = emitter.reshape(data, {outer, sizes.mul(size, inner)});
    source = emitter.value(flat), where = emitter.value(positions), given = emitter.value(updates);
    this->size = sizes.value(size), this->inner = sizes.value(inner), this->count = sizes.value(count);
    columns = sizes.value(columnBlocks), blocks = sizes.value(positionBlocks);
    if (!part)
      return;
    updatedColumns = sizes.value(updates.sizes[2]);
    for (auto [whole, updated] : llvm::zip_equal(part->ofData, part->ofUpdates))
      outerSizes.emplace_back(sizes.value(whole), sizes.value(updated));
  }

  Tensor run(UpdateBody body) {
    Tensor result = emitRows(emitter, rows, {describeResult(elementType, flat.sizes)},
                             [&](OpBuilder &b, Location loc, Value row, ValueRange results) -> Values {
                               RowCode c{b, loc};
                               Block block = blockOf(c, row);
                               Values copied = copy(c, block, results);
                               return c.loop(c.index(0), block.count, copied, [&](Value update, ValueRange now) {
                                 return perColumn ? writeElements(c, block, update, now, body)
                                                  : writeRow(c, block, update, now, body);
                               });
                             })
                        .front();
    return emitter.reshape(result, shape);
  }

private:
  Block blockOf(RowCode &c, Value row) {
    Value column = c.remainder(row, columns), rest = c.quotient(row, columns);
    Value begin = c.mul(c.remainder(rest, blocks), length), firstColumn = c.mul(column, c.index(width));
    Block block{c.quotient(rest, blocks), c.min(begin, size), c.min(c.add(begin, length), size), firstColumn,
                c.min(c.add(firstColumn, c.index(width)), inner)};
    block.ofUpdates = block.outer, block.count = count, block.endOfUpdates = block.endColumn;
    if (updatedColumns)
      findUpdates(c, block);
    return block;
  }

  // Rows of the data without updates have none to write.
  void findUpdates(RowCode &c, Block &block) {
    Value rest = block.outer, step = c.index(1);
    block.ofUpdates = c.index(0);
    for (size_t d = outerSizes.size(); d-- > 0;) {
      auto [whole, updated] = outerSizes[d];
      Value place = d == 0 ? rest : c.remainder(rest, whole);
      block.count = c.select(c.less(place, updated), block.count, c.index(0));
      block.ofUpdates = c.add(block.ofUpdates, c.mul(place, step));
      if (d > 0)
        rest = c.quotient(rest, whole), step = c.mul(step, updated);
    }
    block.endOfUpdates = c.min(block.endColumn, updatedColumns);
  }

  Values copy(RowCode &c, const Block &block, ValueRange results) {
    auto between = [&](Value begin, Value end, ValueRange now) {
      return c.loop(begin, end, now, [&](Value i, ValueRange newest) -> Values {
        return {c.write(c.read(source, {block.outer, i}), newest[0], {block.outer, i})};
      });
    };
    std::optional<int64_t> known = getConstantIntValue(columnBlocks);
    auto whole = [&] { return between(c.mul(block.begin, inner), c.mul(block.end, inner), results); };
    auto columnsOnly = [&] {
      return c.loop(block.begin, block.end, results, [&](Value position, ValueRange now) {
        Value row = c.mul(position, inner);
        return between(c.add(row, block.firstColumn), c.add(row, block.endColumn), now);
      });
    };
    if (known)
      return *known == 1 ? whole() : columnsOnly();
    return c.choose(c.equal(columns, c.index(1)), whole, columnsOnly);
  }

  Value isInside(RowCode &c, const Block &block, Value position) {
    Value before = c.less(position, block.begin);
    return c.both(c.isNot(before), c.less(position, block.end));
  }

  Values writeAt(RowCode &c, const Block &block, Value position, Value update, Value column, ValueRange now,
                 UpdateBody body) {
    Value place = c.add(c.mul(position, inner), column);
    Value before = c.read(now[0], {block.outer, place}), next = c.read(given, {block.ofUpdates, update, column});
    return {c.write(body(c.b, c.loc, before, next), now[0], {block.outer, place})};
  }

  Values writeRow(RowCode &c, const Block &block, Value update, ValueRange now, UpdateBody body) {
    Value position = c.toIndex(c.read(where, {block.ofUpdates, update}));
    auto write = [&] {
      return c.loop(block.firstColumn, block.endColumn, now, [&](Value column, ValueRange newest) {
        return writeAt(c, block, position, update, column, newest, body);
      });
    };
    return c.choose(isInside(c, block, position), write, [&] { return Values(now); });
  }

  Values writeElements(RowCode &c, const Block &block, Value update, ValueRange now, UpdateBody body) {
    return c.loop(block.firstColumn, block.endOfUpdates, now, [&](Value column, ValueRange newest) {
      Value position = c.toIndex(c.read(where, {block.ofUpdates, update, column}));
      return c.choose(
          isInside(c, block, position), [&] { return writeAt(c, block, position, update, column, newest, body); },
          [&] { return Values(newest); });
    });
  }

  Emitter &emitter;
  Sizes &sizes;
  int64_t width = emitter.forms.scatterColumns; // of a block of columns
  bool perColumn;
  Type elementType;
  SizeList shape;
  OpFoldResult rows, columnBlocks, positionBlocks;
  Tensor flat; // [outer, size * inner]
  Value source, where, given, size, inner, count, columns, blocks, length;
  Value updatedColumns;                            // null: all have updates
  SmallVector<std::pair<Value, Value>> outerSizes; // of the data and the updates
};

} // namespace

Tensor mlir::heddle::importer::scatterInOrder(Emitter &emitter, Tensor &data, Tensor &positions, Tensor &updates,
                                              UpdateBody body) {
  return Scatter(emitter, data, positions, updates).run(body);
}

Tensor mlir::heddle::importer::scatterPartInOrder(Emitter &emitter, Tensor &data, Tensor &positions, Tensor &updates,
                                                  const OuterSizes &outer, UpdateBody body) {
  return Scatter(emitter, data, positions, updates, &outer).run(body);
}
