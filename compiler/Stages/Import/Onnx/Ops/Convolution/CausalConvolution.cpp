// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CausalConvWithState: a depthwise convolution along time that sees the past only, with what it must remember.
#include "compiler/Stages/Import/Emit/Convolve.h"
#include "compiler/Stages/Import/Onnx/Forms/Reductions.h"
#include "compiler/Stages/Import/Onnx/Forms/Window.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::importer;

// x [n, c, l] behind the last `past` elements before it, which are the state or zeros.
static Tensor behindPast(Emitter &emitter, Tensor &x, Tensor *state, int64_t past) {
  Sizes &sizes = emitter.sizes;
  SizeList shape = x.sizes, low(3, sizes.constant(0)), high = low;
  shape[2] = sizes.add(shape[2], sizes.constant(past));
  auto type = RankedTensorType::get(shapeOf(shape), x.elementType);
  OpBuilder &b = emitter.builder;
  if (state)
    return emitter.fromValue(
        tensor::ConcatOp::create(b, emitter.loc, type, 2, ValueRange{emitter.value(*state), emitter.value(x)}), shape);
  low[2] = sizes.constant(past);
  Value zero = arith::ConstantOp::create(b, emitter.loc, makeAttribute(x.elementType, 0));
  return emitter.fromValue(tensor::PadOp::create(b, emitter.loc, type, emitter.value(x), low, high, zero), shape);
}

static LogicalResult checkOperands(NodeContext &node) {
  if (failed(requireFloat(node, 0)) || failed(requireSameType(node, 2)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor &x = *node.input(0), &weights = *node.input(1), *bias = node.input(2), *state = node.input(3);
  if (x.rank() != 3 || weights.rank() != 3 || !weights.isStaticSize(1, 1) || weights.staticSize(2).value_or(0) < 1)
    return node.refuseFree("needs x [n, c, l] and weights [c, 1, k] of fixed k");
  emitter.checkEqual(x.sizes[1], weights.sizes[0], "CausalConvWithState: there must be weights for each channel");
  if (bias && (bias->rank() != 1 || bias->elementType != x.elementType ||
               emitter.sizes.different(bias->sizes[0], weights.sizes[0])))
    return node.refuse("the bias must have one element for each channel");
  if (bias)
    emitter.checkEqual(bias->sizes[0], weights.sizes[0],
                       "CausalConvWithState: the bias must have one element for each channel");
  if (state && (state->rank() != 3 || state->elementType != x.elementType ||
                !state->isStaticSize(2, *weights.staticSize(2) - 1)))
    return node.refuse("past_state must be [n, c, k - 1], k - 1 = " + Twine(*weights.staticSize(2) - 1));
  for (int64_t d = 0; state && d < 2; ++d)
    emitter.checkEqual(state->sizes[d], x.sizes[d],
                       "CausalConvWithState: past_state must have the batch and channels of x");
  return success();
}

static LogicalResult lowerCausalConvolution(NodeContext &node) {
  if (failed(checkOperands(node)))
    return failure();
  std::string activation = node.getString("activation", "none");
  if (activation != "none" && activation != "silu" && activation != "swish")
    return node.refuse("activation '" + activation + "' is unknown; known: none, silu, swish");
  Emitter &emitter = node.emitter;
  Sizes &sizes = emitter.sizes;
  Tensor &x = *node.input(0), &weights = *node.input(1), *bias = node.input(2);
  int64_t taps = *weights.staticSize(2);
  Tensor all = behindPast(emitter, x, node.input(3), taps - 1);
  Window window;
  window.kernel = {taps};
  window.strides = window.dilations = {1};
  window.before = window.after = {sizes.constant(0)};
  window.padded = {all.sizes[2]};
  window.output = {x.sizes[2]};
  Tensor operand = padForWindow(emitter, all, window, makeAttribute(x.elementType, 0));
  Convolution convolution{operand, emitter.reshape(weights, {weights.sizes[0], weights.sizes[2]}), 1, 0, 0};
  Tensor result = convolve(emitter, convolution, window);
  if (bias) {
    Tensor wide = alongFilters(emitter, *bias, 3);
    result = map(emitter, {&result, &wide}, x.sizes, [](Scalar &s, ValueRange v) { return s.add(v[0], v[1]); });
  }
  if (activation != "none")
    result = map(emitter, {&result}, x.sizes, [](Scalar &s, ValueRange v) { return s.mul(v[0], s.sigmoid(v[0])); });
  node.setOutput(0, result);
  if (node.wantsOutput(1)) {
    SizeList offsets(3, sizes.constant(0)), extents = x.sizes;
    offsets[2] = x.sizes[2];
    extents[2] = sizes.constant(taps - 1);
    node.setOutput(1, emitter.slice(all, offsets, extents, {1, 1, 1}));
  }
  return success();
}

void mlir::heddle::importer::registerCausalConvolution(LoweringTable &table) {
  table.add("CausalConvWithState", 27, lowerCausalConvolution);
}
