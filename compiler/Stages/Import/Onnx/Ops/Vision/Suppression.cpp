// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NonMaxSuppression: for each batch and class, boxes by descending score, unless they overlap one taken before.
#include "compiler/Stages/Import/Emit/Rows/ParallelRows.h"
#include "compiler/Stages/Import/Emit/Rows/Selection.h"
#include "compiler/Stages/Import/Emit/Rows/Sorting.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::heddle::importer;

namespace {

// A box: where it begins and ends in both dimensions, and its area.
using Box = SmallVector<Value>; // y0, x0, y1, x1, area

class Suppression {
public:
  explicit Suppression(NodeContext &node) : node(node), emitter(node.emitter), sizes(node.emitter.sizes) {}

  LogicalResult run();

private:
  LogicalResult readOperands();
  std::optional<Value> scalar(size_t input);
  SmallVector<Tensor> selectRows();
  Tensor gather(Tensor &selected, Tensor &counts);
  Tensor gatherInParts(Tensor &selected, Tensor &counts);
  Value collect(RowCode &c, Value row, Value &candidates);
  Box readBox(RowCode &c, Value batch, Value index);
  Value overlaps(RowCode &c, const Box &x, const Box &y);
  SmallVector<Value> select(RowCode &c, Value row, ValueRange results);

  NodeContext &node;
  Emitter &emitter;
  Sizes &sizes;
  bool byCenter = false;
  Value boxes, scores, classes, count, limit;
  std::optional<Value> overlap, least; // tensors of rank 0
  OpFoldResult rows, most;             // pairs of batch and class; boxes taken of each
};

} // namespace

std::optional<Value> Suppression::scalar(size_t input) {
  if (!node.input(input))
    return std::nullopt;
  Tensor rank0 = emitter.reshape(*node.input(input), {});
  return emitter.value(rank0);
}

LogicalResult Suppression::readOperands() {
  if (failed(node.requireInputs(2)))
    return failure();
  Tensor &given = *node.input(0), &values = *node.input(1);
  if (given.rank() != 3 || values.rank() != 3 || (given.staticSize(2) && given.staticSize(2) != 4))
    return node.refuse("needs boxes [batch, boxes, 4] and scores [batch, classes, boxes]");
  for (size_t i : {0, 1, 3, 4})
    if (Tensor *operand = node.input(i); operand && !operand->elementType.isF32())
      return node.refuse("boxes, scores and thresholds must be float");
  for (size_t i : {3, 4})
    if (node.input(i) && node.input(i)->staticCount() != 1)
      return node.refuse("a threshold must be one number");
  emitter.checkEqual(given.sizes[2], sizes.constant(4), "NonMaxSuppression: a box has 4 coordinates");
  emitter.checkEqual(given.sizes[0], values.sizes[0], "NonMaxSuppression: boxes and scores have different batches");
  emitter.checkEqual(given.sizes[1], values.sizes[2], "NonMaxSuppression: there must be a score for each box");
  emitter.checkLessEqual(given.sizes[1], sizes.constant((int64_t(1) << 32) - 1),
                         "NonMaxSuppression takes less than 2^32 boxes");
  OpFoldResult asked = sizes.constant(0);
  if (Tensor *number = node.input(2)) {
    Tensor rank0 = number->staticCount() == 1 ? emitter.reshape(*number, {}) : *number;
    if (!emitter.readContents(rank0) || rank0.contents->size() != 1)
      return node.refuse("max_output_boxes_per_class must be one integer");
    asked = sizes.max(sizes.constant(0), rank0.contents->front());
  }
  most = sizes.min(given.sizes[1], asked);
  rows = sizes.mul(values.sizes[0], values.sizes[1]);
  byCenter = node.getInt("center_point_box", 0) != 0;
  Tensor lines = emitter.reshape(values, {rows, values.sizes[2]});
  boxes = emitter.value(given);
  scores = emitter.value(lines);
  classes = sizes.value(values.sizes[1]);
  count = sizes.value(given.sizes[1]);
  limit = sizes.value(most);
  overlap = scalar(3);
  least = scalar(4);
  return success();
}

// Entries, key above position from the end, of the boxes whose score is high enough.
Value Suppression::collect(RowCode &c, Value row, Value &candidates) {
  OpBuilder &b = c.b;
  Type f32 = b.getF32Type(), i64 = b.getI64Type();
  std::optional<Value> threshold;
  if (least)
    threshold = c.read(*least, {});
  auto made = c.loop(c.index(0), count, {candidates, c.index(0)}, [&](Value i, ValueRange v) {
    Value score = c.read(scores, {row, i});
    auto add = [&] {
      Value key = arith::ExtSIOp::create(b, c.loc, i64, toKey(c, score, f32));
      Value fromEnd = c.sub(c.toI64(count), c.add(c.toI64(i), c.i64(1)));
      Value entry = arith::OrIOp::create(b, c.loc, arith::ShLIOp::create(b, c.loc, key, c.i64(32)), fromEnd);
      return SmallVector<Value>{c.write(entry, v[0], {row, v[1]}), c.add(v[1], c.index(1))};
    };
    if (!threshold)
      return add();
    return c.choose(Scalar{b, c.loc, f32}.less(*threshold, score), add, [&] { return SmallVector<Value>(v); });
  });
  candidates = made[0];
  return made[1];
}

Box Suppression::readBox(RowCode &c, Value batch, Value index) {
  Scalar s{c.b, c.loc, c.b.getF32Type()};
  SmallVector<Value> v;
  for (int64_t i = 0; i < 4; ++i)
    v.push_back(c.read(boxes, {batch, index, c.index(i)}));
  Box box;
  if (byCenter) { // x, y, width, height
    Value half = s.constant(c.b.getF32Type(), 0.5), w = s.mul(v[2], half), h = s.mul(v[3], half);
    box = {s.sub(v[1], h), s.sub(v[0], w), s.add(v[1], h), s.add(v[0], w)};
  } else { // corners, in either order
    Value y = s.less(v[2], v[0]), x = s.less(v[3], v[1]);
    box = {s.select(y, v[2], v[0]), s.select(x, v[3], v[1]), s.select(y, v[0], v[2]), s.select(x, v[1], v[3])};
  }
  box.push_back(s.mul(s.sub(box[2], box[0]), s.sub(box[3], box[1])));
  return box;
}

// Whether the boxes share more of what they cover together than the threshold allows; boxes without area never do.
Value Suppression::overlaps(RowCode &c, const Box &x, const Box &y) {
  Scalar s{c.b, c.loc, c.b.getF32Type()};
  auto greater = [&](Value p, Value q) { return s.select(s.less(p, q), q, p); };
  auto smaller = [&](Value p, Value q) { return s.select(s.less(q, p), q, p); };
  Value zero = s.constant(c.b.getF32Type(), 0);
  Value height = s.sub(smaller(x[2], y[2]), greater(x[0], y[0])),
        width = s.sub(smaller(x[3], y[3]), greater(x[1], y[1]));
  Value shared = s.mul(height, width), together = s.sub(s.add(x[4], y[4]), shared);
  Value meet = c.both(s.less(zero, height), s.less(zero, width));
  Value haveArea = c.both(c.both(s.less(zero, x[4]), s.less(zero, y[4])), s.less(zero, together));
  Value threshold = overlap ? c.read(*overlap, {}) : zero;
  return c.both(c.both(meet, haveArea), s.less(threshold, s.div(shared, together)));
}

// Of one batch and class. Results: candidates (a heap), coordinates of taken boxes, their indices, their number.
SmallVector<Value> Suppression::select(RowCode &c, Value row, ValueRange results) {
  Value zero = c.index(0), one = c.index(1), heap = results[0];
  Value batch = arith::DivUIOp::create(c.b, c.loc, row, classes), size = collect(c, row, heap);
  RowOrder order{c, row, [&](ValueRange x, ValueRange y) { return c.less(x[0], y[0]); }, {}};
  heap = order.heapify(heap, size)[0];
  Value low = c.i64((int64_t(1) << 32) - 1);
  // Carried: the three tensors, how many candidates are left, how many boxes are taken.
  auto done = c.repeat(
      {heap, results[1], results[2], size, zero},
      [&](ValueRange v) { return c.both(c.less(zero, v[3]), c.less(v[4], limit)); },
      [&](ValueRange v) -> SmallVector<Value> {
        Value fromEnd = arith::AndIOp::create(c.b, c.loc, c.read(v[0], {row, zero}), low);
        Value index = c.toIndex(c.sub(c.sub(c.toI64(count), c.i64(1)), fromEnd)), left = c.sub(v[3], one);
        Value rest = order.sink(order.get({v[0]}, left), {v[0]}, zero, left)[0];
        Box box = readBox(c, batch, index);
        // Up to the first taken box that overlaps it.
        Value end = c.repeat(
            {zero},
            [&](ValueRange at) -> Value {
              Value inside = c.less(at[0], v[4]);
              return c.choose(
                  inside,
                  [&] {
                    Box taken;
                    for (int64_t i = 0; i < 5; ++i)
                      taken.push_back(c.read(v[1], {row, at[0], c.index(i)}));
                    return SmallVector<Value>{c.isNot(overlaps(c, box, taken))};
                  },
                  [&] { return SmallVector<Value>{inside}; })[0];
            },
            [&](ValueRange at) { return SmallVector<Value>{c.add(at[0], one)}; })[0];
        auto next = c.choose(
            c.equal(end, v[4]),
            [&] {
              Value coordinates = v[1];
              for (int64_t i = 0; i < 5; ++i)
                coordinates = c.write(box[i], coordinates, {row, v[4], c.index(i)});
              return SmallVector<Value>{coordinates, c.write(c.toI64(index), v[2], {row, v[4]}), c.add(v[4], one)};
            },
            [&] { return SmallVector<Value>{v[1], v[2], v[4]}; });
        return {rest, next[0], next[1], left, next[2]};
      });
  return {done[0], done[1], done[2], c.write(c.toI64(done[4]), results[3], row)};
}

SmallVector<Tensor> Suppression::selectRows() {
  Type f32 = emitter.builder.getF32Type(), i64 = emitter.builder.getI64Type();
  OpFoldResult all = node.input(0)->sizes[1];
  SmallVector<Tensor> results{describeResult(i64, {rows, all}), describeResult(f32, {rows, most, sizes.constant(5)}),
                              describeResult(i64, {rows, most}), describeResult(i64, {rows})};
  return emitRows(emitter, rows, results,
                  [&](OpBuilder &b, Location loc, Value row, ValueRange outputs) -> SmallVector<Value> {
                    RowCode c{b, loc};
                    return select(c, row, outputs);
                  });
}

// The same as `gather`, a row of code for each pair of batch and class.
Tensor Suppression::gatherInParts(Tensor &selected, Tensor &counts) {
  OpFoldResult most = sizes.mul(rows, this->most);
  Sums sums = sumsBefore(emitter, counts);
  Value indices = emitter.value(selected), numbers = emitter.value(counts), before = emitter.value(sums.before);
  Tensor made = emitRows(emitter, rows, {describeResult(emitter.builder.getI64Type(), {most, sizes.constant(3)})},
                         [&](OpBuilder &b, Location loc, Value pair, ValueRange results) -> SmallVector<Value> {
                           RowCode c{b, loc};
                           Value batch = c.quotient(pair, classes), ofClass = c.remainder(pair, classes);
                           Value begin = c.toIndex(c.read(before, pair)), number = c.toIndex(c.read(numbers, pair));
                           return c.loop(c.index(0), number, results, [&](Value i, ValueRange v) {
                             Value at = c.add(begin, i), list = c.write(c.toI64(batch), v[0], {at, c.index(0)});
                             list = c.write(c.toI64(ofClass), list, {at, c.index(1)});
                             return SmallVector<Value>{c.write(c.read(indices, {pair, i}), list, {at, c.index(2)})};
                           });
                         })
                    .front();
  return firstAlong(emitter, made, readSize(emitter, sums.total, most), 0);
}

// Batch, class and box of all that are taken, one after another: [total, 3].
Tensor Suppression::gather(Tensor &selected, Tensor &counts) {
  Type i64 = emitter.builder.getI64Type();
  OpFoldResult most = sizes.mul(rows, this->most);
  if (emitter.forms.shortRows)
    return gatherInParts(selected, counts);
  Value indices = emitter.value(selected), numbers = emitter.value(counts), end = sizes.value(rows);
  SmallVector<Tensor> made =
      emitRows(emitter, sizes.constant(1),
               {describeResult(i64, {most, sizes.constant(3)}), describeResult(i64, {sizes.constant(1)})},
               [&](OpBuilder &b, Location loc, Value row, ValueRange results) -> SmallVector<Value> {
                 RowCode c{b, loc};
                 auto walked = c.loop(c.index(0), end, {results[0], c.index(0)}, [&](Value pair, ValueRange v) {
                   Value batch = arith::DivUIOp::create(b, loc, pair, classes),
                         number = c.toIndex(c.read(numbers, pair));
                   Value ofClass = c.sub(pair, c.mul(batch, classes));
                   auto written = c.loop(c.index(0), number, v[0], [&](Value i, ValueRange list) {
                     Value at = c.add(v[1], i), out = c.write(c.toI64(batch), list[0], {at, c.index(0)});
                     out = c.write(c.toI64(ofClass), out, {at, c.index(1)});
                     return SmallVector<Value>{c.write(c.read(indices, {pair, i}), out, {at, c.index(2)})};
                   });
                   return SmallVector<Value>{written[0], c.add(v[1], number)};
                 });
                 return {walked[0], c.write(c.toI64(walked[1]), results[1], row)};
               });
  return firstAlong(emitter, made[0], readSize(emitter, made[1], most), 0);
}

LogicalResult Suppression::run() {
  if (failed(readOperands()))
    return failure();
  SmallVector<Tensor> made = selectRows();
  node.setOutput(0, gather(made[2], made[3]));
  return success();
}

static LogicalResult lowerNonMaxSuppression(NodeContext &node) { return Suppression(node).run(); }

void mlir::heddle::importer::registerSuppression(LoweringTable &table) {
  table.add("NonMaxSuppression", 10, lowerNonMaxSuppression);
}
