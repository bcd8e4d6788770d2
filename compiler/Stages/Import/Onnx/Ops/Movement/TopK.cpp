// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Emit/Rows/RowCode.h"
#include "compiler/Stages/Import/Emit/Rows/SortedPositions.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::importer;

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
