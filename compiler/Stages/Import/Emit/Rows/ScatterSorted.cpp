// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Emit/Rows/ScatterSorted.h"

#include "compiler/Stages/Import/Emit/Rows/MergeSort.h"
#include "compiler/Stages/Import/Emit/Rows/ParallelRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::importer;
using Values = RowCode::Values;

namespace {

// The result is a list of `places` of `columns` elements, and updates are a list of such lists. Where positions are of
// each element, a place is an element.
class SortedScatter {
public:
  SortedScatter(Emitter &emitter, Tensor &data, Tensor &positions, Tensor &updates, bool replaces, UpdateBody body)
      : emitter(emitter), sizes(emitter.sizes), replaces(replaces), body(body), type(data.elementType),
        shape(data.sizes) {
    OpFoldResult one = sizes.constant(1), outer = shape[0], size = shape[1], inner = shape[2];
    OpFoldResult each = updates.sizes[1];
    bool ofElements = positions.rank() == 3;
    columns = ofElements ? one : inner;
    within = ofElements ? inner : one;
    places = sizes.mul(outer, sizes.mul(size, within));
    count = sizes.mul(outer, sizes.mul(each, within));
    emitter.checkLessEqual(places, sizes.constant(INT32_MAX), "a scatter writes to less than 2^31 places");
    Tensor flatData = emitter.reshape(data, {places, columns}),
           flatUpdates = emitter.reshape(updates, {count, columns}),
           flatPositions = emitter.reshape(positions, {count});
    source = emitter.value(flatData), given = emitter.value(flatUpdates), where = emitter.value(flatPositions);
    width = sizes.value(columns), end = sizes.value(places), number = sizes.value(count);
    this->size = sizes.value(size), this->each = sizes.value(each), step = sizes.value(within);
  }

  Tensor run() {
    std::optional<int64_t> fixed = getConstantIntValue(count);
    Tensor result = fixed && *fixed <= emitter.forms.updatesLookedAt ? lookAtAll() : findOwn();
    return emitter.reshape(result, shape);
  }

private:
  Tensor lookAtAll() {
    return emitRows(emitter, sizes.mul(places, columns), {describeResult(type, {places, columns})},
                    [&](OpBuilder &b, Location loc, Value row, ValueRange results) -> Values {
                      RowCode c{b, loc};
                      Value place = c.quotient(row, width), column = c.remainder(row, width);
                      Value before = c.read(source, {place, column});
                      Value after = c.loop(c.index(0), number, before, [&](Value update, ValueRange v) -> Values {
                        auto write = [&] { return Values{body(b, loc, v[0], c.read(given, {update, column}))}; };
                        return c.choose(c.equal(placeOf(c, update), place), write, [&] { return Values{v[0]}; });
                      })[0];
                      return {c.write(after, results[0], {place, column})};
                    })
        .front();
  }

  Tensor findOwn() {
    Tensor sorted = sortInRuns(emitter, sizes.constant(1), count, count, 1, [&](RowCode &c, Value row) {
                      RowOrder order{c, row, {}, {}};
                      order.before = [&c](ValueRange x, ValueRange y) { return c.less(x[0], y[0]); };
                      order.entry = [this, &c](Value update) -> SmallVector<Value> {
                        Value place = arith::ShLIOp::create(c.b, c.loc, c.toI64(placeOf(c, update)), c.i64(32));
                        return {c.add(place, c.toI64(update))};
                      };
                      return order;
                    }).front();
    Tensor list = emitter.reshape(sorted, {count});
    entries = emitter.value(list);
    Tensor begun = findBegins();
    begins = emitter.value(begun);
    if (!replaces)
      combineParts();
    return write();
  }

  // Where an update goes; past the last place where its position is not within the size.
  Value placeOf(RowCode &c, Value update) {
    Value position = c.toIndex(c.read(where, update)), column = c.remainder(update, step);
    Value outer = c.quotient(c.quotient(update, step), each);
    Value place = c.add(c.mul(c.add(c.mul(outer, size), position), step), column);
    Value inside = c.both(c.isNot(c.less(position, c.index(0))), c.less(position, size));
    return c.select(inside, place, end);
  }

  // Of each place, and one more, the first of the sorted updates that goes there or to a later one.
  Tensor findBegins() {
    OpFoldResult rows = sizes.add(places, sizes.constant(1));
    return emitRows(emitter, rows, {describeResult(emitter.builder.getI64Type(), {rows})},
                    [&](OpBuilder &b, Location loc, Value place, ValueRange results) -> Values {
                      RowCode c{b, loc};
                      Value least = arith::ShLIOp::create(b, loc, c.toI64(place), c.i64(32));
                      Value found = c.repeat(
                          {c.index(0), number}, [&](ValueRange v) { return c.less(v[0], v[1]); },
                          [&](ValueRange v) -> Values {
                            Value middle = c.half(c.add(v[0], v[1]));
                            Value isBefore = c.less(c.read(entries, middle), least);
                            return {c.select(isBefore, c.add(middle, c.index(1)), v[0]),
                                    c.select(isBefore, v[1], middle)};
                          })[0];
                      return {c.write(c.toI64(found), results[0], place)};
                    })
        .front();
  }

  Value updateAt(RowCode &c, Value i, Value column) {
    Value low = arith::AndIOp::create(c.b, c.loc, c.read(entries, i), c.i64((int64_t(1) << 32) - 1));
    return c.read(given, {c.toIndex(low), column});
  }

  // Element `i` of a level: a sorted update, or what was combined of part `i` of the level below.
  Value elementAt(RowCode &c, size_t level, Value i, Value column) {
    return level == 0 ? updateAt(c, i, column) : c.read(levels[level - 1], {i, column});
  }

  // Two levels where updates are many or a free number: whole parts, and parts of parts.
  void combineParts() {
    OpFoldResult below = count;
    std::optional<int64_t> fixed = getConstantIntValue(count);
    for (size_t level = 0; level < 2; ++level) {
      if (fixed && *fixed < 2 * emitter.forms.partElements)
        return;
      OpFoldResult parts = sizes.floorDiv(below, sizes.constant(emitter.forms.partElements));
      Tensor combined = emitRows(emitter, sizes.mul(parts, columns), {describeResult(type, {parts, columns})},
                                 [&](OpBuilder &b, Location loc, Value row, ValueRange results) -> Values {
                                   RowCode c{b, loc};
                                   Value part = c.quotient(row, width), column = c.remainder(row, width);
                                   Value begin = c.mul(part, c.index(emitter.forms.partElements));
                                   Value sum = walk(c, level, c.add(begin, c.index(1)),
                                                    c.add(begin, c.index(emitter.forms.partElements)), column,
                                                    elementAt(c, level, begin, column));
                                   return {c.write(sum, results[0], {part, column})};
                                 })
                            .front();
      levels.push_back(emitter.value(combined));
      below = parts;
      fixed = getConstantIntValue(parts);
    }
  }

  Value walk(RowCode &c, size_t level, Value begin, Value end, Value column, Value before) {
    return c.loop(begin, end, before, [&](Value i, ValueRange v) -> Values {
      return {body(c.b, c.loc, v[0], elementAt(c, level, i, column))};
    })[0];
  }

  // Elements `begin` to `end` of a level: whole parts by the level above.
  Value combine(RowCode &c, size_t level, Value begin, Value end, Value column, Value before) {
    if (level == levels.size())
      return walk(c, level, begin, end, column, before);
    Value size = c.index(emitter.forms.partElements),
          first = c.quotient(c.add(begin, c.index(emitter.forms.partElements - 1)), size);
    Value last = c.quotient(end, size);
    last = c.select(c.less(last, first), first, last);
    Value partBegin = c.mul(first, size), partEnd = c.mul(last, size);
    Value value = walk(c, level, begin, c.min(end, partBegin), column, before);
    value = combine(c, level + 1, first, last, column, value);
    return walk(c, level, partEnd, end, column, value);
  }

  Tensor write() {
    return emitRows(emitter, sizes.mul(places, columns), {describeResult(type, {places, columns})},
                    [&](OpBuilder &b, Location loc, Value row, ValueRange results) -> Values {
                      RowCode c{b, loc};
                      Value place = c.quotient(row, width), column = c.remainder(row, width);
                      Value first = c.toIndex(c.read(begins, place)),
                            last = c.toIndex(c.read(begins, c.add(place, c.index(1))));
                      Value before = c.read(source, {place, column});
                      Value after = c.choose(
                          c.less(first, last),
                          [&]() -> Values {
                            if (!replaces)
                              return {combine(c, 0, first, last, column, before)};
                            return {body(b, loc, before, updateAt(c, c.sub(last, c.index(1)), column))};
                          },
                          [&] { return Values{before}; })[0];
                      return {c.write(after, results[0], {place, column})};
                    })
        .front();
  }

  Emitter &emitter;
  Sizes &sizes;
  bool replaces;
  UpdateBody body;
  Type type;
  SizeList shape;
  OpFoldResult columns, within, places, count;
  Value source, given, where, entries, begins;
  Value width, end, number, size, each, step; // index values
  SmallVector<Value, 2> levels;               // what parts of the sorted updates are, combined
};

} // namespace

Tensor mlir::heddle::importer::scatterSorted(Emitter &emitter, Tensor &data, Tensor &positions, Tensor &updates,
                                             bool replaces, UpdateBody body) {
  return SortedScatter(emitter, data, positions, updates, replaces, body).run();
}
