// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Onnx/Ops/Sorting.h"

#include "compiler/Stages/Import/Onnx/Ops/MergeSort.h"
#include "compiler/Stages/Import/Onnx/Ops/ParallelRows.h"
#include "compiler/Stages/Import/Onnx/Ops/Selection.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::heddle::importer;

//===--- A heap whose root is the last of the entries that it keeps ----------------------------------------------===//

SmallVector<Value> RowOrder::get(ValueRange tensors, Value position) {
  Value at = offset ? c.add(offset, position) : position;
  return llvm::map_to_vector(tensors, [&](Value tensor) { return c.read(tensor, {row, at}); });
}

SmallVector<Value> RowOrder::put(ValueRange entry, ValueRange tensors, Value position) {
  SmallVector<Value> written;
  Value at = offset ? c.add(offset, position) : position;
  for (auto [element, tensor] : llvm::zip_equal(entry, tensors))
    written.push_back(c.write(element, tensor, {row, at}));
  return written;
}

// Of the two below `position` the one that comes last; where there is none, some place of the heap.
Value RowOrder::lastChild(ValueRange tensors, Value position, Value size) {
  Value one = c.index(1), end = c.sub(size, one);
  Value left = c.min(c.add(c.add(position, position), one), end), right = c.min(c.add(left, one), end);
  return c.select(before(get(tensors, left), get(tensors, right)), right, left);
}

SmallVector<Value> RowOrder::sink(ValueRange entry, ValueRange tensors, Value position, Value size) {
  SmallVector<Value> carried{position};
  llvm::append_range(carried, tensors);
  SmallVector<Value> ended = c.repeat(
      carried,
      [&](ValueRange v) -> Value {
        // Without a child nothing may be read that the comparison needs.
        Value hasChild = c.less(c.add(c.add(v[0], v[0]), c.index(1)), size);
        return c.choose(
            hasChild,
            [&] {
              Value child = lastChild(v.drop_front(), v[0], size);
              return SmallVector<Value>{before(entry, get(v.drop_front(), child))};
            },
            [&] { return SmallVector<Value>{hasChild}; })[0];
      },
      [&](ValueRange v) {
        Value child = lastChild(v.drop_front(), v[0], size);
        SmallVector<Value> next{child};
        llvm::append_range(next, put(get(v.drop_front(), child), v.drop_front(), v[0]));
        return next;
      });
  return put(entry, ArrayRef<Value>(ended).drop_front(), ended[0]);
}

SmallVector<Value> RowOrder::heapify(ValueRange tensors, Value size) {
  Value half = c.half(size);
  return c.loop(c.index(0), half, tensors, [&](Value i, ValueRange v) {
    Value position = c.sub(c.sub(half, c.index(1)), i);
    return sink(get(v, position), v, position, size);
  });
}

// Entries `begin` to `end` take the places of those that come after them.
SmallVector<Value> RowOrder::consider(Value begin, Value end, ValueRange heap, Value kept) {
  Value zero = c.index(0);
  return c.loop(begin, end, heap, [&](Value i, ValueRange v) {
    SmallVector<Value> candidate = entry(i);
    return c.choose(
        before(candidate, get(v, zero)), [&] { return sink(candidate, v, zero, kept); },
        [&] { return SmallVector<Value>(v); });
  });
}

SmallVector<Value> RowOrder::sort(Value count, Value kept, ValueRange tensors) {
  Value zero = c.index(0);
  SmallVector<Value> heap = c.loop(zero, kept, tensors, [&](Value i, ValueRange v) { return put(entry(i), v, i); });
  heap = heapify(heap, kept);
  if (!skips) {
    heap = consider(kept, count, heap, kept);
  } else {
    // The rest of the block that the first ones end in, whole blocks, and what is no block.
    Value size = c.index(kBlock), mask = c.index(kBlock - 1);
    Value first = arith::DivUIOp::create(c.b, c.loc, c.add(kept, mask), size), begun = c.mul(first, size);
    Value middle = c.min(begun, count), whole = c.mul(blocks, size);
    heap = consider(kept, middle, heap, kept);
    heap = c.loop(first, blocks, heap, [&](Value block, ValueRange v) {
      Value begin = c.mul(block, size);
      return c.choose(
          skips(block, get(v, zero)), [&] { return SmallVector<Value>(v); },
          [&] { return consider(begin, c.add(begin, size), v, kept); });
    });
    heap = consider(c.select(c.less(whole, middle), middle, whole), count, heap, kept);
  }
  // The last of what is left goes behind it.
  return c.loop(c.index(1), kept, heap, [&](Value i, ValueRange v) {
    Value size = c.sub(kept, i);
    SmallVector<Value> root = get(v, zero), moved = get(v, size);
    return put(root, sink(moved, v, zero, size), size);
  });
}

//===--- Numbers -------------------------------------------------------------------------------------------------===//

Value mlir::heddle::importer::toKey(RowCode &c, Value x, Type type) {
  OpBuilder &b = c.b;
  Scalar s{b, c.loc, type};
  if (type.isInteger(1))
    x = arith::ExtUIOp::create(b, c.loc, b.getI8Type(), x);
  if (isa<FloatType>(type)) {
    Type integer = b.getIntegerType(type.getIntOrFloatBitWidth());
    Value isNan = s.isNan(x);
    x = s.add(x, s.constant(type, 0)); // one zero
    Value bits = arith::BitcastOp::create(b, c.loc, integer, x);
    Value shift = arith::ConstantOp::create(b, c.loc, b.getIntegerAttr(integer, integer.getIntOrFloatBitWidth() - 1));
    Value sign = arith::ShRSIOp::create(b, c.loc, bits, shift);
    Value most = arith::ConstantOp::create(b, c.loc, highest(integer));
    Value key = arith::XOrIOp::create(b, c.loc, bits, arith::AndIOp::create(b, c.loc, sign, most));
    return c.select(isNan, most, key);
  }
  if (type.isUnsignedInteger())
    return arith::XOrIOp::create(b, c.loc, x, arith::ConstantOp::create(b, c.loc, lowest(storageType(type))));
  return x;
}

static Value complement(RowCode &c, Value x) {
  Value all = arith::ConstantOp::create(c.b, c.loc, c.b.getIntegerAttr(x.getType(), -1));
  return arith::XOrIOp::create(c.b, c.loc, x, all);
}

// The best element of each block of each row, if it pays to look at them first: [rows, blocks].
static std::optional<Tensor> bestOfBlocks(Emitter &emitter, Tensor &rows, OpFoldResult kept, bool largest) {
  constexpr int64_t kFewElements = 512, kManyKept = 16;
  Sizes &sizes = emitter.sizes;
  OpFoldResult size = sizes.constant(RowOrder::kBlock);
  std::optional<int64_t> count = getConstantIntValue(rows.sizes[1]), wanted = getConstantIntValue(kept);
  if (count && (*count < kFewElements || (wanted && *wanted > *count / kManyKept)))
    return std::nullopt;
  OpFoldResult blocks = sizes.floorDiv(rows.sizes[1], size), one = sizes.constant(1);
  // Where only the call knows whether it pays there are no blocks if it does not.
  for (OpFoldResult least : {sizes.constant(kFewElements), sizes.mul(kept, sizes.constant(kManyKept))})
    blocks = sizes.mul(blocks, sizes.sub(one, sizes.isLess(rows.sizes[1], least)));
  Tensor whole = firstAlong(emitter, rows, sizes.mul(blocks, size), 1),
         split = emitter.reshape(whole, {rows.sizes[0], blocks, size});
  Type type = rows.elementType;
  return emitter.reduce({&split}, {2}, type, largest ? lowest(type) : highest(type),
                        [&](OpBuilder &b, Location loc, ValueRange v, Value best) {
                          Scalar s{b, loc, type};
                          return largest ? s.max(v[0], best) : s.min(v[0], best);
                        });
}

namespace {

// The elements of rows [r, n] by value. An entry is one integer, which holds the key and, below it, the position
// counted from the end; of 64-bit elements these are two.
class ElementOrder {
public:
  ElementOrder(Emitter &emitter, Tensor &rows, bool largest)
      : type(rows.elementType), largest(largest), isWide(type.getIntOrFloatBitWidth() == 64),
        source(emitter.value(rows)), count(emitter.sizes.value(rows.sizes[1])) {}

  unsigned integers() const { return isWide ? 2 : 1; }

  RowOrder ofRow(RowCode &c, Value row) const {
    RowOrder order{c, row, {}, {}};
    order.before = [&c](ValueRange x, ValueRange y) {
      Value first = c.less(y[0], x[0]);
      return x.size() == 1 ? first : c.either(first, c.both(c.equal(x[0], y[0]), c.less(y[1], x[1])));
    };
    order.entry = [this, &c, row](Value i) { return entryOf(c, row, i); };
    return order;
  }

  // Whether no element of a block, of which `bests` has the best one, comes before the entry `last`: equal ones stand
  // behind the last one that is kept.
  Value isBehind(RowCode &c, Value best, ValueRange last) const {
    Value key = keyOf(c, best), limit = last[0];
    if (!isWide) {
      limit = arith::ShRSIOp::create(c.b, c.loc, limit, c.i64(32));
      key = widen(c, key);
    }
    Value skipped = c.isNot(c.less(limit, key));
    // The least of numbers and NaN is NaN, which hides the numbers.
    return isa<FloatType>(type) ? c.both(skipped, c.isNot(Scalar{c.b, c.loc, type}.isNan(best))) : skipped;
  }

  // The position in an entry's last integer.
  Value positionOf(RowCode &c, Value integer) const {
    Value low = isWide ? integer : Value(arith::AndIOp::create(c.b, c.loc, integer, c.i64((int64_t(1) << 32) - 1)));
    return c.sub(c.sub(c.toI64(count), c.i64(1)), low);
  }

private:
  Value keyOf(RowCode &c, Value element) const {
    Value key = toKey(c, element, type);
    return largest ? key : complement(c, key);
  }

  static Value widen(RowCode &c, Value key) {
    Type i64 = c.b.getI64Type();
    return key.getType() == i64 ? key : Value(arith::ExtSIOp::create(c.b, c.loc, i64, key));
  }

  SmallVector<Value> entryOf(RowCode &c, Value row, Value i) const {
    Value key = keyOf(c, c.read(source, {row, i}));
    Value fromEnd = c.sub(c.toI64(count), c.add(c.toI64(i), c.i64(1)));
    if (isWide)
      return {key, fromEnd};
    Value high = arith::ShLIOp::create(c.b, c.loc, widen(c, key), c.i64(32));
    return {arith::OrIOp::create(c.b, c.loc, high, fromEnd)};
  }

  Type type;
  bool largest, isWide;
  Value source, count;
};

} // namespace

// A row of scalar code for each row.
static SmallVector<Tensor> sortWholeRows(Emitter &emitter, Tensor &rows, OpFoldResult kept, bool largest,
                                         const ElementOrder &elements) {
  Sizes &sizes = emitter.sizes;
  Value count = sizes.value(rows.sizes[1]), size = sizes.value(kept);
  std::optional<Tensor> best = bestOfBlocks(emitter, rows, kept, largest);
  Value bests = best ? emitter.value(*best) : Value(), blocks = best ? sizes.value(best->sizes[1]) : Value();
  // None where nothing is kept.
  OpFoldResult number = sizes.mul(rows.sizes[0], sizes.min(kept, sizes.constant(1)));
  SmallVector<Tensor> entries(elements.integers(), describeResult(emitter.builder.getI64Type(), {rows.sizes[0], kept}));
  return emitRows(emitter, number, entries,
                  [&](OpBuilder &b, Location loc, Value row, ValueRange results) -> SmallVector<Value> {
                    RowCode c{b, loc};
                    RowOrder order = elements.ofRow(c, row);
                    if (best) {
                      order.blocks = blocks;
                      order.skips = [&](Value block, ValueRange last) {
                        return elements.isBehind(c, c.read(bests, {row, block}), last);
                      };
                    }
                    return order.sort(count, size, results);
                  });
}

Tensor mlir::heddle::importer::sortedPositions(Emitter &emitter, Tensor &rows, OpFoldResult kept, bool largest) {
  constexpr int64_t kFewElements = 256; // one row of scalar code sorts them
  Sizes &sizes = emitter.sizes;
  ElementOrder elements(emitter, rows, largest);
  if (elements.integers() == 1)
    emitter.checkLessEqual(rows.sizes[1], sizes.constant((int64_t(1) << 32) - 1),
                           "sorting takes less than 2^32 elements");
  std::optional<int64_t> fixed = getConstantIntValue(rows.sizes[1]);
  Tensor last;
  if (wantsShortRows(emitter) && (!fixed || *fixed > kFewElements)) {
    Tensor sorted =
        sortInRuns(emitter, rows.sizes[0], rows.sizes[1], kept, elements.integers(), [&](RowCode &c, Value row) {
          return elements.ofRow(c, row);
        }).back();
    last = firstAlong(emitter, sorted, kept, 1);
  } else {
    last = sortWholeRows(emitter, rows, kept, largest, elements).back();
  }
  return emitter.elementwise({&last}, last.sizes, emitter.builder.getI64Type(),
                             [&](OpBuilder &b, Location loc, ValueRange v) {
                               RowCode c{b, loc};
                               return elements.positionOf(c, v[0]);
                             });
}

//===--- TopK ----------------------------------------------------------------------------------------------------===//

static LogicalResult lowerTopK(NodeContext &node, SizeList k) {
  Emitter &emitter = node.emitter;
  Sizes &sizes = emitter.sizes;
  Tensor &operand = *node.input(0);
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", -1), operand.rank());
  if (!axis)
    return failure();
  if (k.size() != 1)
    return node.refuse("k must be one integer, got " + Twine(k.size()));
  if (operand.elementType.isInteger(1))
    return node.refuse("needs numbers, got booleans");
  OpFoldResult size = operand.sizes[*axis];
  if (std::optional<int64_t> fixed = getConstantIntValue(k.front()), all = getConstantIntValue(size);
      fixed && (*fixed < 0 || (all && *fixed > *all)))
    return node.refuse("k = " + Twine(*fixed) + " is outside 0 to the size of dimension " + Twine(*axis) +
                       (all ? ", " + Twine(*all) : Twine()));
  emitter.requireSizes(k, "TopK: k is negative");
  emitter.checkLessEqual(k.front(), size, "TopK: k is greater than the dimension it picks from");
  SmallVector<int64_t> order, back(operand.rank());
  for (int64_t d = 0; d < operand.rank(); ++d)
    if (d != *axis)
      order.push_back(d);
  order.push_back(*axis);
  for (auto [i, d] : llvm::enumerate(order))
    back[d] = i;
  Tensor turned = emitter.transpose(operand, order);
  SizeList shape = turned.sizes;
  OpFoldResult count = sizes.product(ArrayRef<OpFoldResult>(shape).drop_back());
  shape.back() = k.front();
  Tensor rows = emitter.reshape(turned, {count, size});
  Tensor positions = sortedPositions(emitter, rows, k.front(), node.getInt("largest", 1) != 0);
  Value source = emitter.value(rows);
  Tensor values = emitter.generate(positions.sizes, operand.elementType, {&positions},
                                   [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                                     RowCode c{b, loc};
                                     return c.read(source, {v[1], c.toIndex(v[0])});
                                   });
  auto give = [&](size_t i, Tensor &result) {
    Tensor wide = emitter.reshape(result, shape);
    node.setOutput(i, emitter.transpose(wide, back));
  };
  give(0, values);
  give(1, positions);
  return success();
}

static LogicalResult lowerTopKAttribute(NodeContext &node) {
  if (failed(node.requireInputs(1)))
    return failure();
  if (!node.hasAttribute("k"))
    return node.refuse("needs the attribute k");
  return lowerTopK(node, {node.emitter.sizes.constant(node.getInt("k", 0))});
}

static LogicalResult lowerTopKInput(NodeContext &node) {
  if (failed(node.requireInputs(2)))
    return failure();
  std::optional<SizeList> k = node.readContents(1);
  if (!k)
    return node.refuse("k must be one integer");
  return lowerTopK(node, *k);
}

void mlir::heddle::importer::registerSorting(LoweringTable &table) {
  table.add("TopK", 1, lowerTopKAttribute);
  table.add("TopK", 10, lowerTopKInput);
}
