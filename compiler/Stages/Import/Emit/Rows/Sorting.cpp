// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Emit/Rows/Sorting.h"

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

// Whether these are all entries, none before the one it follows. Looks no further than the first that is.
Value RowOrder::isInOrder(Value count, Value kept, ValueRange tensors) {
  Value one = c.index(1), isAll = c.equal(count, kept);
  SmallVector<Value> begin{c.select(isAll, one, kept)};
  SmallVector<Value> ended = c.repeat(
      begin,
      [&](ValueRange v) -> Value {
        Value isThere = c.less(v[0], kept);
        return c.choose(
            isThere,
            [&] { return SmallVector<Value>{c.isNot(before(get(tensors, v[0]), get(tensors, c.sub(v[0], one))))}; },
            [&] { return SmallVector<Value>{isThere}; })[0];
      },
      [&](ValueRange v) { return SmallVector<Value>{c.add(v[0], one)}; });
  return c.both(isAll, c.isNot(c.less(ended[0], kept)));
}

SmallVector<Value> RowOrder::sort(Value count, Value kept, ValueRange tensors) {
  Value zero = c.index(0);
  SmallVector<Value> heap = c.loop(zero, kept, tensors, [&](Value i, ValueRange v) { return put(entry(i), v, i); });
  // A heap takes as long for what is in order, equal elements for instance, as for anything else.
  return c.choose(isInOrder(count, kept, heap), [&] { return heap; }, [&] { return sortHeap(count, kept, heap); });
}

SmallVector<Value> RowOrder::sortHeap(Value count, Value kept, ValueRange entries) {
  Value zero = c.index(0);
  SmallVector<Value> heap = heapify(entries, kept);
  if (!skips) {
    heap = consider(kept, count, heap, kept);
  } else {
    // The rest of the block that the first ones end in, whole blocks, and what is no block.
    Value size = c.index(blockSize), mask = c.index(blockSize - 1);
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
