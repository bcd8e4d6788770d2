// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Emit/Rows/SortedPositions.h"

#include "compiler/Stages/Import/Emit/Rows/MergeSort.h"
#include "compiler/Stages/Import/Emit/Rows/ParallelRows.h"
#include "compiler/Stages/Import/Emit/Rows/Selection.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::importer;

static Value complement(RowCode &c, Value x) {
  Value all = arith::ConstantOp::create(c.b, c.loc, c.b.getIntegerAttr(x.getType(), -1));
  return arith::XOrIOp::create(c.b, c.loc, x, all);
}

// The best element of each block of each row, if it pays to look at them first: [rows, blocks].
static std::optional<Tensor> bestOfBlocks(Emitter &emitter, Tensor &rows, OpFoldResult kept, bool largest) {
  Sizes &sizes = emitter.sizes;
  OpFoldResult size = sizes.constant(emitter.forms.skippedBlock);
  std::optional<int64_t> count = getConstantIntValue(rows.sizes[1]), wanted = getConstantIntValue(kept);
  if (count && (*count < emitter.forms.leastSkipping || (wanted && *wanted > *count / emitter.forms.keptOfSkipping)))
    return std::nullopt;
  OpFoldResult blocks = sizes.floorDiv(rows.sizes[1], size), one = sizes.constant(1);
  // Where only the call knows whether it pays there are no blocks if it does not.
  for (OpFoldResult least :
       {sizes.constant(emitter.forms.leastSkipping), sizes.mul(kept, sizes.constant(emitter.forms.keptOfSkipping))})
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
                      order.blockSize = emitter.forms.skippedBlock;
                      order.skips = [&](Value block, ValueRange last) {
                        return elements.isBehind(c, c.read(bests, {row, block}), last);
                      };
                    }
                    return order.sort(count, size, results);
                  });
}

Tensor mlir::heddle::importer::sortedPositions(Emitter &emitter, Tensor &rows, OpFoldResult kept, bool largest) {
  Sizes &sizes = emitter.sizes;
  ElementOrder elements(emitter, rows, largest);
  if (elements.integers() == 1)
    emitter.checkLessEqual(rows.sizes[1], sizes.constant((int64_t(1) << 32) - 1),
                           "sorting takes less than 2^32 elements");
  std::optional<int64_t> fixed = getConstantIntValue(rows.sizes[1]);
  Tensor last;
  if (emitter.forms.shortRows && (!fixed || *fixed > emitter.forms.sortedByOneRow)) {
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
