// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Onnx/Forms/ConvolveNode.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::importer;

FailureOr<Tensor> mlir::heddle::importer::convolveNode(NodeContext &node, Tensor &x, Tensor &weights, Type sum,
                                                       llvm::function_ref<Tensor(const Window &)> pad,
                                                       int64_t weightZero) {
  Emitter &emitter = node.emitter;
  if (x.rank() < 3 || weights.rank() != x.rank())
    return node.refuse("needs an operand and weights of one rank, at least 3");
  SmallVector<int64_t> kernel;
  for (int64_t d = 2; d < weights.rank(); ++d)
    kernel.push_back(weights.staticSize(d).value_or(0));
  FailureOr<Window> window = readWindow(node, kernel);
  if (failed(window))
    return failure();
  int64_t groups = node.getInt("group", 1);
  Sizes &sizes = emitter.sizes;
  std::optional<int64_t> filters = weights.staticSize(0);
  if (!filters || !splitsEvenly(*filters, groups))
    return node.refuseFree("the number of filters must be fixed and a multiple of 'group', got group = " +
                           Twine(groups));
  OpFoldResult channels = sizes.mul(weights.sizes[1], sizes.constant(groups));
  if (sizes.different(channels, x.sizes[1]))
    return node.refuse("the operand has " + Twine(x.staticSize(1).value_or(-1)) + " channels, the weights are for " +
                       Twine(getConstantIntValue(channels).value_or(-1)));
  emitter.checkEqual(channels, x.sizes[1], node.op() + ": the operand must have as many channels as the weights");
  FittedChannels fitted(emitter, x, channels);
  Tensor padded = pad(*window);
  Convolution conv = splitGroups(emitter, padded, weights, groups);
  conv.weightZero = weightZero;
  Tensor grouped = convolve(emitter, conv, *window, sum);
  SizeList shape{x.sizes[0], weights.sizes[0]};
  llvm::append_range(shape, window->output);
  return emitter.reshape(grouped, shape);
}
