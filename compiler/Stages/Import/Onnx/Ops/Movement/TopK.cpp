// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Emit/Rows/ListOps.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::importer;

static LogicalResult lowerTopK(NodeContext &node, SizeList k) {
  Emitter &emitter = node.emitter;
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
  Tensor positions = sortAlong(emitter, operand, *axis, k.front(), node.getInt("largest", 1) != 0);
  node.setOutput(0, takePositions(emitter, operand, positions, *axis));
  node.setOutput(1, positions);
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
