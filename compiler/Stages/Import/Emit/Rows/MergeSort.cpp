// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Emit/Rows/MergeSort.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::importer;
using Values = RowCode::Values;

namespace {

// Two sorted runs of a row, [first, first + firstSize) and [second, second + secondSize), of which the row of code
// makes elements `begin` to `end` of the merged one.
struct Pair {
  Value first, firstSize, second, secondSize, begin, end;
};

class RunSorter {
public:
  RunSorter(Emitter &emitter, OpFoldResult rows, OpFoldResult count, OpFoldResult kept, unsigned integers,
            OrderOfRow orderOf)
      : emitter(emitter), orderOf(orderOf),
        results(integers, describeResult(emitter.builder.getI64Type(), {rows, count})) {
    Sizes &sizes = emitter.sizes;
    OpFoldResult runs = sizes.ceilDiv(count, sizes.constant(runLength));
    number = sizes.mul(rows, runs);
    runsOfRow = sizes.value(runs);
    size = sizes.value(count);
    wanted = sizes.value(kept);
  }

  SmallVector<Tensor> run() {
    SmallVector<Tensor> sorted = sortRuns();
    std::optional<int64_t> fixed = getConstantIntValue(results.front().sizes[1]);
    return fixed && *fixed <= runLength ? sorted : mergeAll(sorted);
  }

private:
  SmallVector<Tensor> sortRuns() {
    return emitRows(emitter, number, results,
                    [&](OpBuilder &b, Location loc, Value part, ValueRange outputs) -> Values {
                      RowCode c{b, loc};
                      RowOrder order = orderOf(c, c.quotient(part, runsOfRow));
                      Value begin = c.mul(c.remainder(part, runsOfRow), c.index(runLength));
                      Value length = c.min(c.index(runLength), c.sub(size, begin));
                      order.offset = begin;
                      auto entry = order.entry;
                      order.entry = [&c, entry, begin](Value i) { return entry(c.add(begin, i)); };
                      Value some = c.select(c.less(wanted, c.index(1)), c.index(1), wanted);
                      return order.sort(length, c.min(length, some), outputs);
                    });
  }

  // A loop of the program over the length of sorted runs.
  SmallVector<Tensor> mergeAll(SmallVector<Tensor> &sorted) {
    OpBuilder &builder = emitter.builder;
    Location loc = emitter.loc;
    RowCode outside{builder, loc};
    Values carried{outside.index(runLength)};
    for (Tensor &tensor : sorted)
      carried.push_back(emitter.value(tensor));
    Emitter::State state = emitter.save();
    auto loop = scf::WhileOp::create(
        builder, loc, ValueRange(carried).getTypes(), carried,
        [&](OpBuilder &b, Location at, ValueRange v) {
          scf::ConditionOp::create(b, at, RowCode{b, at}.less(v[0], size), v);
        },
        [&](OpBuilder &b, Location at, ValueRange v) {
          Values next{RowCode{b, at}.add(v[0], v[0])};
          for (Tensor &tensor : merge(v[0], v.drop_front()))
            next.push_back(emitter.value(tensor));
          scf::YieldOp::create(b, at, next);
        });
    emitter.restore(std::move(state));
    SmallVector<Tensor> merged;
    for (auto [value, tensor] : llvm::zip_equal(loop.getResults().drop_front(), sorted))
      merged.push_back(emitter.fromValue(value, tensor.sizes, tensor.elementType));
    return merged;
  }

  SmallVector<Tensor> merge(Value length, ValueRange sources) {
    SmallVector<Value> runs(sources);
    return emitRows(emitter, number, results,
                    [&](OpBuilder &b, Location loc, Value part, ValueRange outputs) -> Values {
                      RowCode c{b, loc};
                      RowOrder order = orderOf(c, c.quotient(part, runsOfRow));
                      Pair pair = pairOf(c, c.mul(c.remainder(part, runsOfRow), c.index(runLength)), length);
                      return mergePart(c, order, pair, runs, outputs);
                    });
  }

  Pair pairOf(RowCode &c, Value at, Value length) {
    auto notNegative = [&](Value x) { return c.select(c.less(x, c.index(0)), c.index(0), x); };
    Pair pair;
    pair.first = c.sub(at, c.remainder(at, c.add(length, length)));
    pair.second = c.add(pair.first, length);
    Value filled = c.min(length, wanted);
    pair.firstSize = c.min(filled, c.sub(size, pair.first));
    pair.secondSize = c.min(filled, notNegative(c.sub(size, pair.second)));
    Value all = c.min(c.add(pair.firstSize, pair.secondSize), wanted);
    pair.begin = c.sub(at, pair.first);
    pair.end = c.min(c.add(pair.begin, c.index(runLength)), all);
    return pair;
  }

  // How many of the first `pair.begin` merged entries are of the first run.
  Value search(RowCode &c, RowOrder &order, const Pair &pair, ValueRange runs) {
    Value low = c.sub(pair.begin, pair.secondSize), zero = c.index(0), one = c.index(1);
    low = c.select(c.less(low, zero), zero, low);
    return c.repeat(
        {low, c.min(pair.begin, pair.firstSize)}, [&](ValueRange v) { return c.less(v[0], v[1]); },
        [&](ValueRange v) -> Values {
          Value middle = c.half(c.add(v[0], v[1]));
          Value other = c.sub(c.sub(c.add(pair.second, pair.begin), one), middle);
          Value isAfter = order.before(order.get(runs, other), order.get(runs, c.add(pair.first, middle)));
          return {c.select(isAfter, v[0], c.add(middle, one)), c.select(isAfter, middle, v[1])};
        })[0];
  }

  Values mergePart(RowCode &c, RowOrder &order, const Pair &pair, ValueRange runs, ValueRange outputs) {
    Value begin = search(c, order, pair, runs), one = c.index(1), zero = c.index(0);
    Values carried(outputs);
    carried.push_back(begin);
    carried.push_back(c.sub(pair.begin, begin));
    size_t count = outputs.size();
    Values made = c.loop(pair.begin, pair.end, carried, [&](Value at, ValueRange v) -> Values {
      Value i = v[count], j = v[count + 1], first = c.add(pair.first, i), second = c.add(pair.second, j);
      Value hasFirst = c.less(i, pair.firstSize), hasSecond = c.less(j, pair.secondSize);
      auto compare = [&] { return Values{c.isNot(order.before(order.get(runs, second), order.get(runs, first)))}; };
      Value takesFirst = c.choose(c.both(hasFirst, hasSecond), compare, [&] { return Values{hasFirst}; })[0];
      Values entry = order.get(runs, c.select(takesFirst, first, second));
      Values next = order.put(entry, v.take_front(count), c.add(pair.first, at));
      next.push_back(c.add(i, c.select(takesFirst, one, zero)));
      next.push_back(c.add(j, c.select(takesFirst, zero, one)));
      return next;
    });
    made.resize(count);
    return made;
  }

  Emitter &emitter;
  int64_t runLength = emitter.forms.runEntries;
  OrderOfRow orderOf;
  SmallVector<Tensor> results;
  OpFoldResult number;           // of runs in all rows
  Value runsOfRow, size, wanted; // index values
};

} // namespace

SmallVector<Tensor> mlir::heddle::importer::sortInRuns(Emitter &emitter, OpFoldResult rows, OpFoldResult count,
                                                       OpFoldResult kept, unsigned integers, OrderOfRow orderOf) {
  return RunSorter(emitter, rows, count, kept, integers, orderOf).run();
}
