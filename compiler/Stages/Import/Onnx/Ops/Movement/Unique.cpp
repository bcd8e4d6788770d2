// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unique: positions are sorted, equal ones stand side by side, and one walk over them numbers the groups.
#include "compiler/Stages/Import/Emit/Rows/MergeSort.h"
#include "compiler/Stages/Import/Emit/Rows/ParallelRows.h"
#include "compiler/Stages/Import/Emit/Rows/Selection.h"
#include "compiler/Stages/Import/Emit/Rows/SortedPositions.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::heddle::importer;

namespace {

// For each group the position of its first member and its size, for each position its group; then how many groups.
struct Groups {
  Tensor firsts, sizes, groupOf, count;
};

} // namespace

// Of rows [n, m]: whether row `x` stands before, or is equal to, row `y`. Compared element by element up to a
// difference.
static std::pair<Value, Value> compareRows(RowCode &c, Value source, Type type, Value width, Value x, Value y) {
  auto keys = [&](Value j) {
    return std::make_pair(toKey(c, c.read(source, {x, j}), type), toKey(c, c.read(source, {y, j}), type));
  };
  Value end = c.repeat(
      {c.index(0)},
      [&](ValueRange v) -> Value {
        Value inside = c.less(v[0], width);
        return c.choose(
            inside,
            [&] {
              auto [a, b] = keys(v[0]);
              return SmallVector<Value>{c.equal(a, b)};
            },
            [&] { return SmallVector<Value>{inside}; })[0];
      },
      [&](ValueRange v) { return SmallVector<Value>{c.add(v[0], c.index(1))}; })[0];
  Value differs = c.less(end, width);
  Value isBefore = c.choose(
      differs,
      [&] {
        auto [a, b] = keys(end);
        return SmallVector<Value>{c.less(a, b)};
      },
      [&] { return SmallVector<Value>{differs}; })[0];
  return {isBefore, c.isNot(differs)};
}

// The rows' positions in their order: [1, n]. Equal rows stand as they stood.
static Tensor sortRows(Emitter &emitter, Tensor &rows) {
  Sizes &sizes = emitter.sizes;
  Value source = emitter.value(rows), count = sizes.value(rows.sizes[0]), width = sizes.value(rows.sizes[1]);
  Type type = rows.elementType;
  auto orderOf = [&](RowCode &c, Value row) {
    RowOrder order{c, row, {}, {}};
    order.before = [=, &c](ValueRange x, ValueRange y) {
      auto [less, equal] = compareRows(c, source, type, width, c.toIndex(x[0]), c.toIndex(y[0]));
      return c.either(less, c.both(equal, c.less(x[0], y[0])));
    };
    order.entry = [&c](Value i) { return SmallVector<Value>{c.toI64(i)}; };
    return order;
  };
  if (emitter.forms.shortRows)
    return sortInRuns(emitter, sizes.constant(1), rows.sizes[0], rows.sizes[0], 1, orderOf).front();
  Tensor result = describeResult(emitter.builder.getI64Type(), {sizes.constant(1), rows.sizes[0]});
  return emitRows(emitter, sizes.constant(1), {result},
                  [&](OpBuilder &b, Location loc, Value row, ValueRange results) -> SmallVector<Value> {
                    RowCode c{b, loc};
                    return orderOf(c, row).sort(count, count, results);
                  })[0];
}

// Groups in the order of their values.
static Groups groupSorted(Emitter &emitter, Tensor &rows, Tensor &positions) {
  Sizes &sizes = emitter.sizes;
  OpFoldResult n = rows.sizes[0];
  Value source = emitter.value(rows), order = emitter.value(positions), count = sizes.value(n),
        width = sizes.value(rows.sizes[1]);
  Type type = rows.elementType;
  Tensor list = describeResult(emitter.builder.getI64Type(), {n}),
         one = describeResult(emitter.builder.getI64Type(), {sizes.constant(1)});
  SmallVector<Tensor> made = emitRows(
      emitter, sizes.constant(1), {list, list, list, one},
      [&](OpBuilder &b, Location loc, Value row, ValueRange results) -> SmallVector<Value> {
        RowCode c{b, loc};
        auto walked =
            c.loop(c.index(0), count, {results[0], results[1], results[2], c.index(0)}, [&](Value i, ValueRange v) {
              Value zero = c.index(0), one = c.index(1), position = c.read(order, {zero, i});
              Value previous = c.read(order, {zero, c.select(c.equal(i, zero), zero, c.sub(i, one))});
              Value equal = compareRows(c, source, type, width, c.toIndex(position), c.toIndex(previous)).second;
              Value isNew = c.either(c.equal(i, zero), c.isNot(equal));
              Value groups = c.add(v[3], c.select(isNew, one, zero)), group = c.sub(groups, one);
              auto begun = c.choose(
                  isNew,
                  [&] { return SmallVector<Value>{c.write(position, v[0], group), c.write(c.i64(0), v[1], group)}; },
                  [&] { return SmallVector<Value>{v[0], v[1]}; });
              Value size = c.add(c.read(begun[1], group), c.i64(1));
              return SmallVector<Value>{begun[0], c.write(size, begun[1], group),
                                        c.write(c.toI64(group), v[2], c.toIndex(position)), groups};
            });
        return {walked[0], walked[1], walked[2], c.write(c.toI64(walked[3]), results[3], row)};
      });
  return {made[0], made[1], made[2], made[3]};
}

// The same groups in the order of their first members.
static Groups groupByFirst(Emitter &emitter, Groups sorted) {
  Sizes &sizes = emitter.sizes;
  OpFoldResult n = sorted.groupOf.sizes[0];
  Value firsts = emitter.value(sorted.firsts), counts = emitter.value(sorted.sizes),
        groupOf = emitter.value(sorted.groupOf), end = sizes.value(n);
  Tensor list = describeResult(emitter.builder.getI64Type(), {n});
  // The last result is a group's new number.
  SmallVector<Tensor> made = emitRows(
      emitter, sizes.constant(1), {list, list, list, list},
      [&](OpBuilder &b, Location loc, Value, ValueRange results) -> SmallVector<Value> {
        RowCode c{b, loc};
        SmallVector<Value> carried(results);
        carried.push_back(c.index(0));
        auto walked = c.loop(c.index(0), end, carried, [&](Value i, ValueRange v) {
          Value group = c.toIndex(c.read(groupOf, i)), isFirst = c.equal(c.read(firsts, group), c.toI64(i));
          auto numbered = c.choose(
              isFirst,
              [&] {
                return SmallVector<Value>{c.write(c.toI64(i), v[0], v[4]), c.write(c.read(counts, group), v[1], v[4]),
                                          c.write(c.toI64(v[4]), v[3], group), c.add(v[4], c.index(1))};
              },
              [&] { return SmallVector<Value>{v[0], v[1], v[3], v[4]}; });
          Value number = c.read(numbered[2], group);
          return SmallVector<Value>{numbered[0], numbered[1], c.write(number, v[2], i), numbered[2], numbered[3]};
        });
        walked.pop_back();
        return walked;
      });
  return {made[0], made[1], made[2], sorted.count};
}

// Groups in the order of their values, by a row of code for each position.
static Groups groupInParts(Emitter &emitter, Tensor &rows, Tensor &positions) {
  Sizes &sizes = emitter.sizes;
  OpFoldResult n = rows.sizes[0];
  Value source = emitter.value(rows), order = emitter.value(positions), count = sizes.value(n),
        width = sizes.value(rows.sizes[1]);
  Type type = rows.elementType;
  Tensor list = describeResult(emitter.builder.getI64Type(), {n});
  using Values = SmallVector<Value>;
  // 1 where a group begins.
  Tensor begins = emitRows(emitter, n, {list}, [&](OpBuilder &b, Location loc, Value i, ValueRange results) -> Values {
                    RowCode c{b, loc};
                    Value zero = c.index(0), isFirst = c.equal(i, zero);
                    Value previous = c.read(order, {zero, c.select(isFirst, zero, c.sub(i, c.index(1)))});
                    Value position = c.read(order, {zero, i});
                    Value equal = compareRows(c, source, type, width, c.toIndex(position), c.toIndex(previous)).second;
                    Value isNew = c.either(isFirst, c.isNot(equal));
                    return {c.write(c.select(isNew, c.i64(1), c.i64(0)), results[0], i)};
                  }).front();
  Sums sums = sumsBefore(emitter, begins);
  Value isNew = emitter.value(begins), before = emitter.value(sums.before), total = emitter.value(sums.total);
  // The first members, where groups begin in the order, and of each position its group.
  SmallVector<Tensor> made =
      emitRows(emitter, n, {list, list, list}, [&](OpBuilder &b, Location loc, Value i, ValueRange results) -> Values {
        RowCode c{b, loc};
        Value position = c.read(order, {c.index(0), i}), begun = c.read(isNew, i), number = c.read(before, i);
        Values lists = c.choose(
            c.less(c.i64(0), begun),
            [&] {
              Value group = c.toIndex(number);
              return Values{c.write(position, results[0], group), c.write(c.toI64(i), results[1], group)};
            },
            [&] { return Values(results.take_front(2)); });
        Value group = c.sub(c.add(number, begun), c.i64(1));
        return {lists[0], lists[1], c.write(group, results[2], c.toIndex(position))};
      });
  Value starts = emitter.value(made[1]);
  Tensor counts = emitRows(emitter, n, {list}, [&](OpBuilder &b, Location loc, Value i, ValueRange results) -> Values {
                    RowCode c{b, loc};
                    Value groups = c.toIndex(c.read(total, c.index(0)));
                    auto size = [&] {
                      Value next = c.add(i, c.index(1)), begin = c.read(starts, i);
                      Value end = c.choose(
                          c.less(next, groups), [&] { return Values{c.read(starts, next)}; },
                          [&] { return Values{c.toI64(count)}; })[0];
                      return Values{c.write(c.sub(end, begin), results[0], i)};
                    };
                    return c.choose(c.less(i, groups), size, [&] { return Values(results); });
                  }).front();
  return {made[0], counts, made[2], sums.total};
}

// The same groups in the order of their first members.
static Groups groupByFirstInParts(Emitter &emitter, Groups sorted) {
  OpFoldResult n = sorted.groupOf.sizes[0];
  Value firsts = emitter.value(sorted.firsts), counts = emitter.value(sorted.sizes),
        groupOf = emitter.value(sorted.groupOf);
  Tensor list = describeResult(emitter.builder.getI64Type(), {n});
  using Values = SmallVector<Value>;
  auto firstOf = [&](RowCode &c, Value i) { return c.read(firsts, c.toIndex(c.read(groupOf, i))); };
  Tensor isFirst = emitRows(emitter, n, {list}, [&](OpBuilder &b, Location loc, Value i, ValueRange results) -> Values {
                     RowCode c{b, loc};
                     Value first = c.select(c.equal(firstOf(c, i), c.toI64(i)), c.i64(1), c.i64(0));
                     return {c.write(first, results[0], i)};
                   }).front();
  Sums sums = sumsBefore(emitter, isFirst);
  Value begins = emitter.value(isFirst), number = emitter.value(sums.before);
  SmallVector<Tensor> made =
      emitRows(emitter, n, {list, list, list}, [&](OpBuilder &b, Location loc, Value i, ValueRange results) -> Values {
        RowCode c{b, loc};
        Values lists = c.choose(
            c.less(c.i64(0), c.read(begins, i)),
            [&] {
              Value group = c.toIndex(c.read(number, i)), size = c.read(counts, c.toIndex(c.read(groupOf, i)));
              return Values{c.write(c.toI64(i), results[0], group), c.write(size, results[1], group)};
            },
            [&] { return Values(results.take_front(2)); });
        Value group = c.read(number, c.toIndex(firstOf(c, i)));
        return {lists[0], lists[1], c.write(group, results[2], i)};
      });
  return {made[0], made[1], made[2], sums.total};
}

static LogicalResult lowerUnique(NodeContext &node) {
  if (failed(node.requireInputs(1)))
    return failure();
  Emitter &emitter = node.emitter;
  Sizes &sizes = emitter.sizes;
  Tensor &operand = *node.input(0);
  bool hasAxis = node.hasAttribute("axis");
  int64_t axis = 0;
  SmallVector<int64_t> order, back(operand.rank());
  if (hasAxis) {
    std::optional<int64_t> given = node.normalizeAxis(node.getInt("axis", 0), operand.rank());
    if (!given)
      return failure();
    axis = *given;
    order.push_back(axis);
    for (int64_t d = 0; d < operand.rank(); ++d)
      if (d != axis)
        order.push_back(d);
    for (auto [i, d] : llvm::enumerate(order))
      back[d] = i;
  }
  Tensor turned = hasAxis ? emitter.transpose(operand, order) : operand;
  OpFoldResult n = hasAxis ? turned.sizes[0] : sizes.product(turned.sizes),
               width = hasAxis ? sizes.product(ArrayRef<OpFoldResult>(turned.sizes).drop_front()) : sizes.constant(1);
  Tensor rows = emitter.reshape(turned, {n, width}), positions;
  if (hasAxis || operand.elementType.isInteger(1)) {
    positions = sortRows(emitter, rows);
  } else {
    Tensor line = emitter.reshape(rows, {sizes.constant(1), n});
    positions = sortedPositions(emitter, line, n, /*largest=*/false);
  }
  bool isShort = emitter.forms.shortRows;
  Groups groups = isShort ? groupInParts(emitter, rows, positions) : groupSorted(emitter, rows, positions);
  if (node.getInt("sorted", 1) == 0)
    groups = isShort ? groupByFirstInParts(emitter, groups) : groupByFirst(emitter, groups);
  OpFoldResult count = readSize(emitter, groups.count, n);
  Tensor firsts = firstAlong(emitter, groups.firsts, count, 0), values = takeAlong(emitter, rows, firsts, 0);
  SizeList shape{count};
  if (hasAxis)
    llvm::append_range(shape, ArrayRef<OpFoldResult>(turned.sizes).drop_front());
  Tensor wide = emitter.reshape(values, shape);
  node.setOutput(0, hasAxis ? emitter.transpose(wide, back) : wide);
  node.setOutput(1, firsts);
  node.setOutput(2, groups.groupOf);
  node.setOutput(3, firstAlong(emitter, groups.sizes, count, 0));
  return success();
}

void mlir::heddle::importer::registerUnique(LoweringTable &table) { table.add("Unique", 11, lowerUnique); }
