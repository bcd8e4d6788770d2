// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CumSum and CumProd. Where neighbours in memory belong to other sums, one element after the other for some of them at
// a time. Integers whose neighbours are of one sum: one after the other, as an addition takes a cycle. Else sums of
// blocks, then of the blocks' totals, so that the work is linear and every step parallel.
#include "compiler/Stages/Import/Emit/Rows/ParallelRows.h"
#include "compiler/Stages/Import/Emit/Rows/RowCode.h"
#include "compiler/Stages/Import/Onnx/Forms/AxisOfCall.h"
#include "compiler/Stages/Import/Onnx/Forms/Reductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::importer;

namespace {

// Along the dimension `axis` of operands [outer, count, inner], or with the ends swapped where `reverse`.
struct Accumulation {
  Emitter &emitter;
  bool product, reverse;
  bool isLast = true; // `inner` may be 1 by nature

  Value combine(Scalar &s, Value x, Value y) const { return product ? s.mul(x, y) : s.add(x, y); }
  TypedAttr neutral(Type type) const { return makeAttribute(type, product ? 1 : 0); }

  Tensor withinBlocks(Tensor &x, bool exclusive);
  Tensor run(Tensor &x, bool exclusive, int64_t level);

  bool hasColumns(const Tensor &x) const;
  Tensor alongColumns(Tensor &x, bool exclusive);
  bool isAddedInOrder(const Tensor &x) const;
  Tensor inOrder(Tensor &x, bool exclusive);
  Tensor runWhole(Tensor &x, bool exclusive) {
    if (isAddedInOrder(x))
      return inOrder(x, exclusive);
    return hasColumns(x) ? alongColumns(x, exclusive) : run(x, exclusive, 0);
  }
};

} // namespace

// x [outer, blocks, count, inner]: element i of a block meets all that stand before it there; quadratic in `count`.
Tensor Accumulation::withinBlocks(Tensor &x, bool exclusive) {
  constexpr int64_t rank = 4, axis = 2;
  MLIRContext *context = emitter.builder.getContext();
  SmallVector<AffineExpr> read;
  for (int64_t d = 0; d < rank; ++d)
    read.push_back(emitter.builder.getAffineDimExpr(d == axis ? rank : d));
  AffineMap write = AffineMap::getMultiDimIdentityMap(rank + 1, context).dropResult(rank);
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  iterators.push_back(utils::IteratorType::reduction);
  Value start = emitter.filled(x.elementType, x.sizes, neutral(x.elementType)).value;
  return emitter.generic({emitter.value(x)}, {AffineMap::get(rank + 1, 0, read, context), write}, iterators, x.sizes,
                         x.elementType, start, [&](OpBuilder &b, Location loc, ValueRange v) {
                           Scalar s{b, loc, x.elementType};
                           Value i = linalg::IndexOp::create(b, loc, axis), j = linalg::IndexOp::create(b, loc, rank);
                           if (reverse)
                             std::swap(i, j);
                           Value counts = exclusive ? s.less(j, i) : s.lessEqual(j, i);
                           Value none = arith::ConstantOp::create(b, loc, neutral(x.elementType));
                           return combine(s, v[1], s.select(counts, v[0], none));
                         });
}

// x [outer, count, inner].
Tensor Accumulation::run(Tensor &x, bool exclusive, int64_t level) {
  Sizes &sizes = emitter.sizes;
  const FormModel &forms = emitter.forms;
  OpFoldResult outer = x.sizes[0], count = x.sizes[1], inner = x.sizes[2], one = sizes.constant(1);
  std::optional<int64_t> fixed = getConstantIntValue(count);
  if (fixed ? *fixed <= forms.sumInOneBlock : level == forms.freeSumLevels + (forms.shortRows ? 1 : 0)) {
    Tensor whole = emitter.reshape(x, {outer, one, count, inner});
    Tensor result = withinBlocks(whole, exclusive);
    return emitter.reshape(result, x.sizes);
  }
  OpFoldResult width = sizes.constant(forms.sumBlock), blocks = sizes.ceilDiv(count, width),
               padded = sizes.mul(blocks, width);
  // Neutral elements fill the last block.
  Type type = x.elementType;
  Value fill = arith::ConstantOp::create(emitter.builder, emitter.loc, neutral(type));
  SizeList zeros(3, sizes.constant(0)), high = zeros, shape{outer, padded, inner};
  high[1] = sizes.sub(padded, count);
  auto paddedType = RankedTensorType::get(shapeOf(shape), storageType(type));
  Value filled = tensor::PadOp::create(emitter.builder, emitter.loc, paddedType, emitter.value(x), zeros, high, fill);
  Tensor full = emitter.fromValue(filled, shape, type);
  Tensor split = emitter.reshape(full, {outer, blocks, width, inner});
  Tensor totals =
      emitter.reduce({&split}, {2}, type, neutral(type), [&](OpBuilder &b, Location loc, ValueRange v, Value sum) {
        Scalar s{b, loc, type};
        return combine(s, sum, v[0]);
      });
  Tensor local = withinBlocks(split, exclusive), before = run(totals, /*exclusive=*/true, level + 1);
  Tensor wide = emitter.reshape(before, {outer, blocks, one, inner});
  Tensor sum =
      map(emitter, {&local, &wide}, split.sizes, [&](Scalar &s, ValueRange v) { return combine(s, v[1], v[0]); });
  Tensor flat = emitter.reshape(sum, shape);
  return emitter.slice(flat, zeros, x.sizes, {1, 1, 1});
}

bool Accumulation::hasColumns(const Tensor &x) const {
  std::optional<int64_t> count = getConstantIntValue(x.sizes[1]), inner = getConstantIntValue(x.sizes[2]);
  const FormModel &forms = emitter.forms;
  if (forms.shortRows && (!count || *count > forms.mostRowSteps))
    return false;
  if (!inner) // dimensions behind the axis, whose sizes only the call knows
    return !isLast && !forms.shortRows && (!count || *count >= forms.leastRowSteps);
  return *inner >= forms.leastRowColumns && (!count || *count >= forms.leastRowSteps);
}

bool Accumulation::isAddedInOrder(const Tensor &x) const {
  std::optional<int64_t> count = getConstantIntValue(x.sizes[1]);
  return isa<IntegerType>(x.elementType) && !emitter.forms.shortRows && isConstantIntValue(x.sizes[2], 1) &&
         (!count || (*count > emitter.forms.sumInOneBlock && *count <= emitter.forms.mostInOrder));
}

// x [outer, count, 1]: a row of scalar code is one sum, which stays in a register.
Tensor Accumulation::inOrder(Tensor &x, bool exclusive) {
  Sizes &sizes = emitter.sizes;
  Type type = x.elementType;
  Value source = emitter.value(x), count = sizes.value(x.sizes[1]);
  return emitRows(emitter, x.sizes[0], {describeResult(type, x.sizes)},
                  [&](OpBuilder &b, Location loc, Value row, ValueRange results) -> SmallVector<Value> {
                    RowCode c{b, loc};
                    Scalar s{b, loc, type};
                    Value zero = c.index(0), one = c.index(1), none = arith::ConstantOp::create(b, loc, neutral(type));
                    auto step = [&](Value i, ValueRange carried) -> SmallVector<Value> {
                      Value place = reverse ? c.sub(c.sub(count, one), i) : i;
                      Value sum = combine(s, carried[1], c.read(source, {row, place, zero}));
                      Value written = c.write(exclusive ? carried[1] : sum, carried[0], {row, place, zero});
                      return {written, sum};
                    };
                    return {c.loop(zero, count, {results[0], none}, step)[0]};
                  })
      .front();
}

// x [outer, count, inner]: a row of scalar code is some neighbours of one `outer`. The sum so far is the
// result's element before, so that the innermost loop goes along neighbours.
Tensor Accumulation::alongColumns(Tensor &x, bool exclusive) {
  Sizes &sizes = emitter.sizes;
  Type type = x.elementType;
  std::optional<int64_t> inner = getConstantIntValue(x.sizes[2]);
  int64_t most = emitter.forms.rowColumns, width = std::min(most, inner.value_or(most));
  OpFoldResult blocks = sizes.ceilDiv(x.sizes[2], sizes.constant(width));
  Value source = emitter.value(x), count = sizes.value(x.sizes[1]);
  Value columns = inner ? Value() : sizes.value(x.sizes[2]), groups = inner ? Value() : sizes.value(blocks);
  return emitRows(emitter, sizes.mul(x.sizes[0], blocks), {describeResult(type, x.sizes)},
                  [&](OpBuilder &b, Location loc, Value row, ValueRange results) -> SmallVector<Value> {
                    RowCode c{b, loc};
                    Scalar s{b, loc, type};
                    Value all = inner ? c.index((*inner + width - 1) / width) : groups;
                    Value zero = c.index(0), one = c.index(1);
                    Value outer = c.quotient(row, all), begin = c.mul(c.remainder(row, all), c.index(width));
                    Value left = c.sub(inner ? c.index(*inner) : columns, begin), size = c.index(width);
                    if (!inner || *inner % width != 0)
                      size = c.min(size, left);
                    auto placeOf = [&](Value step) { return reverse ? c.sub(c.sub(count, one), step) : step; };
                    auto step = [&](Value i, Value sums, bool isFirst) {
                      return c.loop(zero, size, {sums}, [&](Value j, ValueRange carried) -> SmallVector<Value> {
                        Value column = c.add(begin, j), sum = arith::ConstantOp::create(b, loc, neutral(type));
                        if (!isFirst)
                          sum = c.read(carried[0], {outer, placeOf(c.sub(i, one)), column});
                        if (!exclusive || !isFirst)
                          sum =
                              combine(s, sum, c.read(source, {outer, placeOf(exclusive ? c.sub(i, one) : i), column}));
                        return {c.write(sum, carried[0], {outer, placeOf(i), column})};
                      });
                    };
                    SmallVector<Value> first =
                        c.loop(zero, c.min(one, count), results,
                               [&](Value i, ValueRange carried) { return step(i, carried[0], /*isFirst=*/true); });
                    return c.loop(one, count, first,
                                  [&](Value i, ValueRange carried) { return step(i, carried[0], /*isFirst=*/false); });
                  })
      .front();
}

static LogicalResult lowerCumulative(NodeContext &node, bool product) {
  if (failed(node.requireInputs(2)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor &x = *node.input(0);
  SizeList split;
  bool isLast = true;
  if (std::optional<SmallVector<int64_t>> given = node.constantInts(1)) {
    if (given->size() != 1)
      return node.refuse("the axis must be one integer, got " + Twine(given->size()));
    std::optional<int64_t> axis = node.normalizeAxis(given->front(), x.rank());
    if (!axis)
      return failure();
    ArrayRef<OpFoldResult> sizes(x.sizes);
    isLast = *axis + 1 == x.rank();
    split = {emitter.sizes.product(sizes.take_front(*axis)), sizes[*axis],
             emitter.sizes.product(sizes.drop_front(*axis + 1))};
  } else {
    std::optional<SizeList> axis = node.input(1)->staticCount() == 1 ? node.readContents(1) : std::nullopt;
    if (!axis)
      return node.refuse("the axis must be one integer");
    split = splitAtMark(emitter, x.sizes, emitter.marked(*axis, x.rank()));
  }
  Tensor parts = emitter.reshape(x, split);
  Accumulation accumulation{emitter, product, node.getInt("reverse", 0) != 0, isLast};
  Tensor result = accumulation.runWhole(parts, node.getInt("exclusive", 0) != 0);
  node.setOutput(0, emitter.reshape(result, x.sizes));
  return success();
}

void mlir::heddle::importer::registerCumulative(LoweringTable &table) {
  table.add("CumSum", 11, [](NodeContext &node) { return lowerCumulative(node, /*product=*/false); });
  table.add("CumProd", 26, [](NodeContext &node) { return lowerCumulative(node, /*product=*/true); });
}
