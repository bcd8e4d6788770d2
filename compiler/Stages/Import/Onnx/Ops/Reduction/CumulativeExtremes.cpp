// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle.CumulativeExtreme: the greatest (`greatest` 1) or least element so far along `axis`, and where the last of
// those is, as i64. NaN is further than any number, and stays.
#include "compiler/Stages/Import/Emit/Rows/RowCode.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;

namespace {

// `lines` of `length` elements, each at a distance of `inner` from the next.
struct Lines {
  Emitter &emitter;
  Tensor source; // [outer, length, inner]
  bool greatest;

  SmallVector<Tensor> run();
  SmallVector<Value> walk(OpBuilder &b, Location loc, Value row, ValueRange results);
};

} // namespace

SmallVector<Value> Lines::walk(OpBuilder &b, Location loc, Value row, ValueRange results) {
  RowCode c{b, loc};
  Type type = source.elementType;
  Scalar s{b, loc, type};
  Value elements = emitter.value(source), length = emitter.sizes.value(source.sizes[1]);
  Value inner = emitter.sizes.value(source.sizes[2]);
  Value outer = c.quotient(row, inner), column = c.remainder(row, inner);
  Value worst = arith::ConstantOp::create(b, loc, greatest ? lowest(type) : highest(type));
  SmallVector<Value> start{worst, c.i64(0), results[0], results[1]};
  SmallVector<Value> done = c.loop(c.index(0), length, start, [&](Value i, ValueRange v) -> SmallVector<Value> {
    Value x = c.read(elements, {outer, i, column});
    Value isFurther = greatest ? s.lessEqual(v[0], x) : s.lessEqual(x, v[0]);
    if (isa<FloatType>(type))
      isFurther = c.either(s.isNan(x), c.both(c.isNot(s.isNan(v[0])), isFurther));
    Value best = c.select(isFurther, x, v[0]), place = c.select(isFurther, c.toI64(i), v[1]);
    return {best, place, c.write(best, v[2], {outer, i, column}), c.write(place, v[3], {outer, i, column})};
  });
  return {done[2], done[3]};
}

SmallVector<Tensor> Lines::run() {
  emitter.value(source);
  OpFoldResult count = emitter.sizes.mul(source.sizes[0], source.sizes[2]);
  emitter.sizes.value(source.sizes[1]);
  emitter.sizes.value(source.sizes[2]);
  return emitRows(
      emitter, count,
      {describeResult(source.elementType, source.sizes), describeResult(emitter.builder.getI64Type(), source.sizes)},
      [&](OpBuilder &b, Location loc, Value row, ValueRange results) { return walk(b, loc, row, results); });
}

static LogicalResult lowerCumulativeExtreme(NodeContext &node) {
  if (failed(node.requireInputs(1)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor &x = *node.input(0);
  if (x.elementType.isInteger(1))
    return node.refuse("needs a tensor of numbers");
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", 0), x.rank());
  if (!axis)
    return failure();
  if (x.staticCount() == 0) {
    Type integer = emitter.builder.getI64Type();
    node.setOutput(0, x);
    node.setOutput(1, emitter.filled(integer, x.sizes, makeAttribute(integer, 0)));
    return success();
  }
  ArrayRef<OpFoldResult> sizes(x.sizes);
  SizeList split{emitter.sizes.product(sizes.take_front(*axis)), sizes[*axis],
                 emitter.sizes.product(sizes.drop_front(*axis + 1))};
  Lines lines{emitter, emitter.reshape(x, split), node.getInt("greatest", 1) != 0};
  SmallVector<Tensor> made = lines.run();
  for (auto [i, tensor] : llvm::enumerate(made))
    node.setOutput(i, emitter.reshape(tensor, x.sizes));
  return success();
}

void mlir::heddle::importer::registerCumulativeExtremes(LoweringTable &table) {
  table.add("heddle.CumulativeExtreme", 1, lowerCumulativeExtreme);
}
