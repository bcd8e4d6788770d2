// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NonZero and Compress.
#include "compiler/Stages/Import/Emit/Rows/RowCode.h"
#include "compiler/Stages/Import/Emit/Rows/Selection.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::heddle::importer;

static Tensor flatten(Emitter &emitter, Tensor &tensor) {
  return emitter.reshape(tensor, {emitter.sizes.product(tensor.sizes)});
}

// The index of each element in each dimension: [rank, count].
static LogicalResult lowerNonZero(NodeContext &node) {
  if (failed(node.requireInputs(1)))
    return failure();
  Emitter &emitter = node.emitter;
  Sizes &sizes = emitter.sizes;
  Tensor &operand = *node.input(0);
  Tensor flat = flatten(emitter, operand), positions = positionsOfNonZero(emitter, flat);
  OpFoldResult count = positions.sizes[0];
  if (operand.rank() <= 1) { // a scalar counts as a vector
    node.setOutput(0, emitter.reshape(positions, {sizes.constant(1), count}));
    return success();
  }
  SmallVector<Value> extents = llvm::map_to_vector(operand.sizes, [&](OpFoldResult size) { return sizes.value(size); });
  Value source = emitter.value(positions);
  node.setOutput(0, emitter.generate({sizes.constant(operand.rank()), count}, emitter.builder.getI64Type(), {},
                                     [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                                       RowCode c{b, loc};
                                       Value rest = c.toIndex(c.read(source, v[1])), result = rest;
                                       for (int64_t d = operand.rank(); d-- > 0;) {
                                         Value here = c.equal(v[0], c.index(d));
                                         Value i =
                                             d == 0 ? rest : Value(arith::RemUIOp::create(b, loc, rest, extents[d]));
                                         result = c.select(here, i, result);
                                         if (d > 0)
                                           rest = arith::DivUIOp::create(b, loc, rest, extents[d]);
                                       }
                                       return c.toI64(result);
                                     }));
  return success();
}

// What the condition says of positions along the axis, or of all elements.
static LogicalResult lowerCompress(NodeContext &node) {
  if (failed(node.requireInputs(2)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor operand = *node.input(0), &condition = *node.input(1);
  if (condition.rank() != 1 || !condition.elementType.isInteger(1))
    return node.refuse("the condition must be a list of booleans");
  int64_t axis = 0;
  if (node.hasAttribute("axis")) {
    std::optional<int64_t> given = node.normalizeAxis(node.getInt("axis", 0), operand.rank());
    if (!given)
      return failure();
    axis = *given;
  } else {
    operand = flatten(emitter, operand);
  }
  emitter.checkLessEqual(condition.sizes[0], operand.sizes[axis],
                         "Compress: the condition is longer than what it picks from");
  Tensor positions = positionsOfNonZero(emitter, condition);
  node.setOutput(0, takeAlong(emitter, operand, positions, axis));
  return success();
}

void mlir::heddle::importer::registerSelection(LoweringTable &table) {
  table.add("NonZero", 9, lowerNonZero);
  table.add("Compress", 9, lowerCompress);
}
