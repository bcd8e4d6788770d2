// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Intent/Transforms/ListPlace.h"
#include "compiler/Stages/Import/Emit/Rows/MergeSort.h"
#include "compiler/Stages/Import/Emit/Rows/Selection.h"
#include "compiler/Stages/Import/Emit/Rows/SortedPositions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::intent;
using namespace mlir::heddle::importer;

namespace {

// Lists of several tensors [rows, n] by a region. An entry is a position.
class RegionOrder {
public:
  RegionOrder(Emitter &emitter, MutableArrayRef<Tensor> rows, Region &region)
      : region(region), sources(llvm::map_to_vector(rows, [&](Tensor &tensor) { return emitter.value(tensor); })) {}

  RowOrder ofRow(RowCode &c, Value row) const {
    RowOrder order{c, row, {}, {}};
    order.entry = [&c](Value i) -> SmallVector<Value> { return {c.toI64(i)}; };
    // The later one comes first only where it comes before the earlier one, so one question is enough.
    order.before = [this, &c, row](ValueRange x, ValueRange y) {
      Value isEarlier = c.less(x[0], y[0]);
      Value early = c.toIndex(c.select(isEarlier, x[0], y[0])), late = c.toIndex(c.select(isEarlier, y[0], x[0]));
      SmallVector<Value> elements;
      for (Value source : sources)
        elements.append({c.read(source, {row, late}), c.read(source, {row, early})});
      Value swaps = inlineRegion(c.b, region, elements).front();
      return Value(arith::XOrIOp::create(c.b, c.loc, isEarlier, swaps));
    };
    return order;
  }

private:
  Region &region;
  SmallVector<Value> sources;
};

} // namespace

// The positions of the first `kept` of each row: [rows, kept].
static Tensor sortByRegion(Emitter &emitter, MutableArrayRef<Tensor> rows, OpFoldResult kept, Region &region) {
  Sizes &sizes = emitter.sizes;
  OpFoldResult number = rows.front().sizes[0], count = rows.front().sizes[1];
  RegionOrder by(emitter, rows, region);
  auto orderOf = [&](RowCode &c, Value row) { return by.ofRow(c, row); };
  std::optional<int64_t> fixed = getConstantIntValue(count);
  if (emitter.forms.shortRows && (!fixed || *fixed > emitter.forms.sortedByOneRow)) {
    Tensor sorted = sortInRuns(emitter, number, count, kept, 1, orderOf).front();
    return firstAlong(emitter, sorted, kept, 1);
  }
  Value size = sizes.value(count), wanted = sizes.value(kept);
  // None where nothing is kept.
  number = sizes.mul(number, sizes.min(kept, sizes.constant(1)));
  Tensor result = describeResult(emitter.builder.getI64Type(), {rows.front().sizes[0], kept});
  return emitRows(emitter, number, {result},
                  [&](OpBuilder &b, Location loc, Value row, ValueRange results) -> SmallVector<Value> {
                    RowCode c{b, loc};
                    return orderOf(c, row).sort(size, wanted, results);
                  })
      .front();
}

// The dimension last, the others as one.
SmallVector<Tensor> intent::emitSort(ListPlace &place, SortOp op) {
  Emitter &emitter = place.emitter;
  auto type = cast<RankedTensorType>(op.getLists().front().getType());
  int64_t dim = op.getDim(), rank = type.getRank();
  SmallVector<int64_t> order;
  for (int64_t d = 0; d < rank; ++d)
    if (d != dim)
      order.push_back(d);
  order.push_back(dim);
  SizeList shape;
  SmallVector<Tensor> rows;
  for (Value operand : op.getLists()) {
    Tensor tensor = place.tensorOf(operand, op.getSizes(), op.getUnsignedOrder());
    Tensor turned = emitter.transpose(tensor, order);
    if (shape.empty())
      shape = turned.sizes;
    OpFoldResult number = emitter.sizes.product(ArrayRef<OpFoldResult>(turned.sizes).drop_back());
    rows.push_back(emitter.reshape(turned, {number, turned.sizes.back()}));
  }
  if (int64_t kept = op.getPlaces().getType().getDimSize(dim); !ShapedType::isDynamic(kept))
    shape.back() = emitter.sizes.constant(kept);
  else if (Value first = op.getFirst())
    shape.back() = place.sizeOf(first);
  Tensor sorted = op.getBefore().empty() ? sortedPositions(emitter, rows.front(), shape.back(), op.getDescending())
                                         : sortByRegion(emitter, rows, shape.back(), op.getBefore());
  Tensor wide = emitter.reshape(sorted, shape);
  return {emitter.transpose(wide, invertPermutationVector(order))};
}
