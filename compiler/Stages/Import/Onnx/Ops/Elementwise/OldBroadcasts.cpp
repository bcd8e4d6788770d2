// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operator sets 1 to 6: operands broadcast only where attributes say so, and normalisation and dropout say that they
// are not in training. Each becomes what operator set 7 means.
#include "compiler/Stages/Import/Onnx/Lowering.h"

using namespace mlir;
using namespace mlir::heddle::importer;

static LogicalResult lowerAsInSet7(NodeContext &node) {
  bool known;
  return LoweringTable::get().find(node.op(), 7, known)(node);
}

// With attribute 'axis' the second operand's dimensions are those of the first from there on, and not its last ones.
static LogicalResult lowerBinary(NodeContext &node) {
  if (failed(node.requireInputs(2)))
    return failure();
  if (!node.hasAttribute("axis") || node.getInt("broadcast", 0) == 0)
    return lowerAsInSet7(node);
  Tensor &first = *node.input(0), second = *node.input(1);
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", 0), first.rank());
  if (!axis)
    return failure();
  int64_t behind = first.rank() - *axis - second.rank();
  if (behind < 0)
    return node.refuse("an operand of rank " + Twine(second.rank()) + " does not fit from axis " + Twine(*axis) +
                       " on");
  SizeList shape = second.sizes;
  shape.append(behind, node.emitter.sizes.constant(1));
  Tensor aligned = node.emitter.reshape(second, shape);
  node.replaceInput(1, &aligned);
  return lowerAsInSet7(node);
}

// A list of slopes has one for each channel.
static LogicalResult lowerPRelu(NodeContext &node) {
  if (failed(node.requireInputs(2)))
    return failure();
  Tensor &x = *node.input(0), &slopes = *node.input(1);
  if (x.rank() < 2 || slopes.rank() != 1)
    return lowerAsInSet7(node);
  SizeList shape(x.rank() - 1, node.emitter.sizes.constant(1));
  shape[0] = slopes.sizes[0];
  Tensor aligned = node.emitter.reshape(slopes, shape);
  node.replaceInput(1, &aligned);
  return lowerAsInSet7(node);
}

static LogicalResult lowerInTest(NodeContext &node) {
  if (node.getInt("is_test", 0) == 0)
    return node.unsupported("before operator set 7 is_test must be 1: training needs a newer one");
  if (node.getInt("spatial", 1) == 0)
    return node.unsupported("spatial = 0 is not supported");
  return lowerAsInSet7(node);
}

void mlir::heddle::importer::registerOldBroadcasts(LoweringTable &table) {
  table.add("Add", 1, lowerBinary);
  table.add("And", 1, lowerBinary);
  table.add("Div", 1, lowerBinary);
  table.add("Equal", 1, lowerBinary);
  table.add("Greater", 1, lowerBinary);
  table.add("Less", 1, lowerBinary);
  table.add("Mul", 1, lowerBinary);
  table.add("Or", 1, lowerBinary);
  table.add("Pow", 1, lowerBinary);
  table.add("Sub", 1, lowerBinary);
  table.add("Xor", 1, lowerBinary);
  table.add("PRelu", 1, lowerPRelu);
  table.add("BatchNormalization", 1, lowerInTest);
  table.add("Dropout", 1, lowerInTest);
  table.add("Gemm", 1, lowerAsInSet7);
  table.add("AveragePool", 1, lowerAsInSet7);
}
