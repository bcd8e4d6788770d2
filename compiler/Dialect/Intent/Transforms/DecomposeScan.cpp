// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where neighbours in memory belong to other lists, one element after the other for some of them at a time. Integers
// whose neighbours are of one list: one after the other, as an addition takes a cycle. Else states of blocks, then of
// the blocks' last ones, so that the work is linear and every step parallel. Of what is not associative: one after the
// other.
#include "compiler/Dialect/Intent/Transforms/ListPlace.h"
#include "compiler/Stages/Import/Emit/Rows/RowCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::intent;
using namespace mlir::heddle::importer;
using Values = RowCode::Values;

namespace {

// One associative state of operands [outer, count, inner].
struct Accumulation {
  Emitter &emitter;
  ScanOp op;

  bool isLast() {
    return op.getDim() + 1 == static_cast<uint64_t>(cast<RankedTensorType>(op.getLists()[0].getType()).getRank());
  }
  TypedAttr neutral() { return cast<TypedAttr>(op.getStart()[0]); }
  Value combine(OpBuilder &b, Location loc, Value before, Value element) {
    return inlineRegion(b, op.getStep(), {arith::ConstantIndexOp::create(b, loc, 0), before, element}).front();
  }

  Tensor withinBlocks(Tensor &x, bool exclusive);
  Tensor run(Tensor &x, bool exclusive, int64_t level);

  bool hasColumns(const Tensor &x);
  Tensor alongColumns(Tensor &x);
  bool isAddedInOrder(const Tensor &x) const;
  Tensor inOrder(Tensor &x);
  Tensor runWhole(Tensor &x) {
    if (isAddedInOrder(x))
      return inOrder(x);
    return hasColumns(x) ? alongColumns(x) : run(x, op.getExclusive(), 0);
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
  Value start = emitter.filled(x.elementType, x.sizes, neutral()).value;
  return emitter.generic({emitter.value(x)}, {AffineMap::get(rank + 1, 0, read, context), write}, iterators, x.sizes,
                         x.elementType, start, [&](OpBuilder &b, Location loc, ValueRange v) {
                           Scalar s{b, loc, x.elementType};
                           Value i = linalg::IndexOp::create(b, loc, axis), j = linalg::IndexOp::create(b, loc, rank);
                           if (op.getReverse())
                             std::swap(i, j);
                           Value counts = exclusive ? s.less(j, i) : s.lessEqual(j, i);
                           Value none = arith::ConstantOp::create(b, loc, neutral());
                           return combine(b, loc, v[1], s.select(counts, v[0], none));
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
  Value fill = arith::ConstantOp::create(emitter.builder, emitter.loc, neutral());
  SizeList zeros(3, sizes.constant(0)), high = zeros, shape{outer, padded, inner};
  high[1] = sizes.sub(padded, count);
  auto paddedType = RankedTensorType::get(shapeOf(shape), storageType(type));
  Value filled = tensor::PadOp::create(emitter.builder, emitter.loc, paddedType, emitter.value(x), zeros, high, fill);
  Tensor full = emitter.fromValue(filled, shape, type);
  Tensor split = emitter.reshape(full, {outer, blocks, width, inner});
  Tensor totals =
      emitter.reduce({&split}, {2}, type, neutral(), [&](OpBuilder &b, Location loc, ValueRange v, Value sum) {
        // Of the reverse order the loop's next element comes before.
        return op.getReverse() ? combine(b, loc, v[0], sum) : combine(b, loc, sum, v[0]);
      });
  Tensor local = withinBlocks(split, exclusive), before = run(totals, /*exclusive=*/true, level + 1);
  Tensor wide = emitter.reshape(before, {outer, blocks, one, inner});
  Tensor sum = emitter.elementwise({&local, &wide}, split.sizes, type, [&](OpBuilder &b, Location loc, ValueRange v) {
    return combine(b, loc, v[1], v[0]);
  });
  Tensor flat = emitter.reshape(sum, shape);
  return emitter.slice(flat, zeros, x.sizes, {1, 1, 1});
}

bool Accumulation::hasColumns(const Tensor &x) {
  std::optional<int64_t> count = getConstantIntValue(x.sizes[1]), inner = getConstantIntValue(x.sizes[2]);
  const FormModel &forms = emitter.forms;
  if (forms.shortRows && (!count || *count > forms.mostRowSteps))
    return false;
  if (!inner) // dimensions behind the axis, whose sizes only the call knows
    return !isLast() && !forms.shortRows && (!count || *count >= forms.leastRowSteps);
  return *inner >= forms.leastRowColumns && (!count || *count >= forms.leastRowSteps);
}

bool Accumulation::isAddedInOrder(const Tensor &x) const {
  std::optional<int64_t> count = getConstantIntValue(x.sizes[1]);
  return isa<IntegerType>(x.elementType) && !emitter.forms.shortRows && isConstantIntValue(x.sizes[2], 1) &&
         (!count || (*count > emitter.forms.sumInOneBlock && *count <= emitter.forms.mostInOrder));
}

// x [outer, count, 1]: a row of scalar code is one list, whose state stays in a register.
Tensor Accumulation::inOrder(Tensor &x) {
  Sizes &sizes = emitter.sizes;
  Value source = emitter.value(x), count = sizes.value(x.sizes[1]);
  return emitRows(emitter, x.sizes[0], {describeResult(x.elementType, x.sizes)},
                  [&](OpBuilder &b, Location loc, Value row, ValueRange results) -> Values {
                    RowCode c{b, loc};
                    Value zero = c.index(0), one = c.index(1), none = arith::ConstantOp::create(b, loc, neutral());
                    auto step = [&](Value i, ValueRange carried) -> Values {
                      Value place = op.getReverse() ? c.sub(c.sub(count, one), i) : i;
                      Value sum = combine(b, loc, carried[1], c.read(source, {row, place, zero}));
                      Value written = c.write(op.getExclusive() ? carried[1] : sum, carried[0], {row, place, zero});
                      return {written, sum};
                    };
                    return {c.loop(zero, count, {results[0], none}, step)[0]};
                  })
      .front();
}

// x [outer, count, inner]: a row of scalar code is some neighbours of one `outer`. The state so far is the result's
// element before, so that the innermost loop goes along neighbours.
Tensor Accumulation::alongColumns(Tensor &x) {
  Sizes &sizes = emitter.sizes;
  bool exclusive = op.getExclusive();
  std::optional<int64_t> inner = getConstantIntValue(x.sizes[2]);
  // Where an invocation runs a row, neighbours are invocations.
  int64_t most = emitter.forms.shortRows ? 1 : emitter.forms.rowColumns, width = std::min(most, inner.value_or(most));
  OpFoldResult blocks = sizes.ceilDiv(x.sizes[2], sizes.constant(width));
  Value source = emitter.value(x), count = sizes.value(x.sizes[1]);
  Value columns = inner ? Value() : sizes.value(x.sizes[2]), groups = inner ? Value() : sizes.value(blocks);
  return emitRows(emitter, sizes.mul(x.sizes[0], blocks), {describeResult(x.elementType, x.sizes)},
                  [&](OpBuilder &b, Location loc, Value row, ValueRange results) -> Values {
                    RowCode c{b, loc};
                    Value all = inner ? c.index((*inner + width - 1) / width) : groups;
                    Value zero = c.index(0), one = c.index(1);
                    Value outer = c.quotient(row, all), begin = c.mul(c.remainder(row, all), c.index(width));
                    Value left = c.sub(inner ? c.index(*inner) : columns, begin), size = c.index(width);
                    if (!inner || *inner % width != 0)
                      size = c.min(size, left);
                    auto placeOf = [&](Value step) { return op.getReverse() ? c.sub(c.sub(count, one), step) : step; };
                    auto step = [&](Value i, Value sums, bool isFirst) {
                      return c.loop(zero, size, {sums}, [&](Value j, ValueRange carried) -> Values {
                        Value column = c.add(begin, j), sum = arith::ConstantOp::create(b, loc, neutral());
                        if (!isFirst)
                          sum = c.read(carried[0], {outer, placeOf(c.sub(i, one)), column});
                        if (!exclusive || !isFirst) {
                          Value place = placeOf(exclusive ? c.sub(i, one) : i);
                          sum = combine(b, loc, sum, c.read(source, {outer, place, column}));
                        }
                        return {c.write(sum, carried[0], {outer, placeOf(i), column})};
                      });
                    };
                    Values first = c.loop(zero, c.min(one, count), results, [&](Value i, ValueRange carried) {
                      return step(i, carried[0], /*isFirst=*/true);
                    });
                    return c.loop(one, count, first,
                                  [&](Value i, ValueRange carried) { return step(i, carried[0], /*isFirst=*/false); });
                  })
      .front();
}

// Any states of operands [outer, count, inner]: a row of scalar code is one list.
static SmallVector<Tensor> walkLists(Emitter &emitter, MutableArrayRef<Tensor> lists, ScanOp op) {
  Sizes &sizes = emitter.sizes;
  ArrayRef<OpFoldResult> shape = lists.front().sizes;
  SmallVector<Value> sources = llvm::map_to_vector(lists, [&](Tensor &tensor) { return emitter.value(tensor); });
  SmallVector<Tensor> results = llvm::map_to_vector(
      op.getStates(), [&](Value state) { return describeResult(getElementTypeOrSelf(state), shape); });
  Value count = sizes.value(shape[1]), inner = sizes.value(shape[2]);
  size_t states = results.size();
  auto walk = [&](OpBuilder &b, Location loc, Value row, ValueRange written) -> Values {
    RowCode c{b, loc};
    Value outer = c.quotient(row, inner), column = c.remainder(row, inner);
    Values begin(written);
    for (Attribute start : op.getStart())
      begin.push_back(arith::ConstantOp::create(b, loc, cast<TypedAttr>(start)));
    Values done = c.loop(c.index(0), count, begin, [&](Value i, ValueRange v) {
      Value place = op.getReverse() ? c.sub(c.sub(count, c.index(1)), i) : i;
      ValueRange before = v.drop_front(states);
      Values arguments{place};
      llvm::append_range(arguments, before);
      for (Value source : sources)
        arguments.push_back(c.read(source, {outer, place, column}));
      Values after = inlineRegion(b, op.getStep(), arguments), next;
      for (size_t k = 0; k < states; ++k)
        next.push_back(c.write(op.getExclusive() ? before[k] : after[k], v[k], {outer, place, column}));
      llvm::append_range(next, after);
      return next;
    });
    done.resize(states);
    return done;
  };
  return emitRows(emitter, sizes.mul(shape[0], shape[2]), results, walk);
}

SmallVector<Tensor> intent::emitScan(ListPlace &place, ScanOp op) {
  Emitter &emitter = place.emitter;
  SizeList sizes;
  SmallVector<Tensor> lists;
  for (Value operand : op.getLists()) {
    Tensor list = place.tensorOf(operand, op.getSizes());
    sizes = list.sizes;
    lists.push_back(emitter.reshape(list, place.columnsOf(list.sizes, op.getDim())));
  }
  SmallVector<Tensor> results = op.getAssociative() && lists.size() == 1
                                    ? SmallVector<Tensor>{Accumulation{emitter, op}.runWhole(lists.front())}
                                    : walkLists(emitter, lists, op);
  for (Tensor &result : results)
    result = emitter.reshape(result, sizes);
  return results;
}
