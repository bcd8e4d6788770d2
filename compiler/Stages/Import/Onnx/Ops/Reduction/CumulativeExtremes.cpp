// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle.CumulativeExtreme: the greatest (`greatest` 1) or least element so far along `axis`, and where the last of
// those is, as i64. NaN is further than any number, and stays.
#include "compiler/Stages/Import/Emit/Rows/ListOps.h"
#include "compiler/Stages/Import/Emit/Scalars.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;

// The furthest element so far and its position, from those before: `v` are the position, both, and the element.
static SmallVector<Value> takeFurther(Scalar s, ValueRange v, bool greatest) {
  Value isFurther = greatest ? s.lessEqual(v[1], v[3]) : s.lessEqual(v[3], v[1]);
  if (isa<FloatType>(s.type)) {
    Value stays = s.isNan(v[1]), all = s.constant(s.b.getI1Type(), 1);
    isFurther = arith::AndIOp::create(s.b, s.loc, arith::XOrIOp::create(s.b, s.loc, stays, all), isFurther);
    isFurther = arith::OrIOp::create(s.b, s.loc, s.isNan(v[3]), isFurther);
  }
  Value place = arith::IndexCastOp::create(s.b, s.loc, s.b.getI64Type(), v[0]);
  return {s.select(isFurther, v[3], v[1]), s.select(isFurther, place, v[2])};
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
  bool greatest = node.getInt("greatest", 1) != 0;
  Type type = x.elementType, i64 = emitter.builder.getI64Type();
  SmallVector<Tensor> made = scanAlong(
      emitter, {&x}, {.dim = *axis}, {type, i64}, {greatest ? lowest(type) : highest(type), makeAttribute(i64, 0)},
      [&](OpBuilder &b, Location loc, ValueRange v) { return takeFurther({b, loc, type}, v, greatest); });
  node.setOutput(0, made[0]);
  node.setOutput(1, made[1]);
  return success();
}

void mlir::heddle::importer::registerCumulativeExtremes(LoweringTable &table) {
  table.add("heddle.CumulativeExtreme", 1, lowerCumulativeExtreme);
}
