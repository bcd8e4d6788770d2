// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conv, MaxPool and AveragePool.
#include "compiler/Stages/Import/Emit/Convolve.h"
#include "compiler/Stages/Import/Onnx/Forms/ConvolveNode.h"
#include "compiler/Stages/Import/Onnx/Forms/Reductions.h"
#include "compiler/Stages/Import/Onnx/Ops/Quantized/Quantization.h"
#include "compiler/Stages/Import/Onnx/Ops/Reduction/Pooling.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::importer;

//===--- Convolution ---------------------------------------------------------------------------------------------===//

static LogicalResult lowerConv(NodeContext &node) {
  if (failed(requireFloat(node, 0)) || failed(requireSameType(node, 2)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor &x = *node.input(0), &weights = *node.input(1), *bias = node.input(2);
  if (bias && (bias->rank() != 1 || bias->elementType != x.elementType || weights.rank() == 0 ||
               !emitter.sizes.equal(bias->sizes[0], weights.sizes[0])))
    return node.refuse("the bias must have one element for each filter");
  FailureOr<Tensor> product = canConvolveQuantized(x, weights)
                                  ? convolveQuantized(node, x, weights)
                                  : convolveNode(node, x, weights, {}, [&](const Window &window) {
                                      return padForWindow(emitter, x, window, makeAttribute(x.elementType, 0));
                                    });
  if (failed(product))
    return failure();
  Tensor result = *product;
  if (bias) {
    Tensor wide = alongFilters(emitter, *bias, x.rank());
    result = map(emitter, {&result, &wide}, result.sizes, [](Scalar &s, ValueRange v) { return s.add(v[0], v[1]); });
  }
  node.setOutput(0, result);
  return success();
}

//===--- Pools ---------------------------------------------------------------------------------------------------===//

// Combines the elements under each window; the shape of the window is that of an operand nobody reads.
static Tensor pool(Emitter &emitter, Tensor &padded, const Window &window, TypedAttr init, bool maximum) {
  int64_t rank = window.rank(), loops = 2 + 2 * rank;
  Builder &b = emitter.builder;
  auto dim = [&](int64_t d) { return b.getAffineDimExpr(d); };
  SmallVector<AffineExpr> read{dim(0), dim(1)}, taps, write{dim(0), dim(1)};
  SizeList shape{padded.sizes[0], padded.sizes[1]}, kernel;
  for (int64_t d = 0; d < rank; ++d) {
    read.push_back(dim(2 + d) * window.strides[d] + dim(2 + rank + d) * window.dilations[d]);
    taps.push_back(dim(2 + rank + d));
    write.push_back(dim(2 + d));
    shape.push_back(window.output[d]);
    kernel.push_back(emitter.sizes.constant(window.kernel[d]));
  }
  SmallVector<utils::IteratorType> iterators(2 + rank, utils::IteratorType::parallel);
  iterators.resize(loops, utils::IteratorType::reduction);
  MLIRContext *context = b.getContext();
  Value start = emitter.filled(padded.elementType, shape, init).value,
        extent = emitter.empty(padded.elementType, kernel).value;
  return emitter.generic({emitter.value(padded), extent},
                         {AffineMap::get(loops, 0, read, context), AffineMap::get(loops, 0, taps, context),
                          AffineMap::get(loops, 0, write, context)},
                         iterators, shape, padded.elementType, start,
                         [&](OpBuilder &builder, Location loc, ValueRange v) {
                           Scalar s{builder, loc, padded.elementType};
                           return maximum ? s.max(v[2], v[0]) : s.add(v[2], v[0]);
                         });
}

Tensor mlir::heddle::importer::sumPool(Emitter &emitter, Tensor &padded, const Window &window) {
  return pool(emitter, padded, window, makeAttribute(padded.elementType, 0), /*maximum=*/false);
}

static LogicalResult lowerMaxPool(NodeContext &node) {
  if (failed(node.requireInputs(1)))
    return failure();
  if (node.input(0)->rank() < 3)
    return node.refuse("needs a batch, channels and at least one more dimension");
  FailureOr<Window> window = readWindow(node, {});
  if (failed(window))
    return failure();
  if (node.wantsOutput(1)) {
    Tensor &x = *node.input(0);
    Tensor padded = padForWindow(node.emitter, x, *window, lowest(x.elementType));
    auto [values, indices] = maxPoolWithIndices(node.emitter, x, padded, *window, node.getInt("storage_order", 0) != 0);
    node.setOutput(0, values);
    node.setOutput(1, indices);
    return success();
  }
  auto maximum = [&](Tensor &x) {
    TypedAttr least = lowest(x.elementType);
    Tensor padded = padForWindow(node.emitter, x, *window, least);
    return pool(node.emitter, padded, *window, least, /*maximum=*/true);
  };
  Tensor &x = *node.input(0);
  if (!x.quantized || x.quantized->axis || !hasPositiveScale(x)) {
    node.setOutput(0, maximum(x));
    return success();
  }
  // Dequantisation keeps the order.
  Quantization pooled = *x.quantized;
  pooled.source = maximum(pooled.source);
  node.setOutput(0, node.emitter.fromQuantization(std::move(pooled)));
  return success();
}

// How many positions of window `o` lie in [low, high) of the padded operand.
static Value countInside(Scalar &s, Value o, const Window &window, int64_t d, Value low, Value high) {
  auto constant = [&](int64_t v) -> Value { return arith::ConstantIndexOp::create(s.b, s.loc, v); };
  Value start = s.mul(o, constant(window.strides[d])), step = constant(window.dilations[d]);
  auto before = [&](Value limit) { // taps at positions below `limit`
    Value room = s.max(s.sub(limit, start), constant(0));
    Value last = s.add(room, constant(window.dilations[d] - 1)); // rounds up; neither is negative
    return s.min(arith::DivSIOp::create(s.b, s.loc, last, step), constant(window.kernel[d]));
  };
  return s.sub(before(high), before(low));
}

// The same in 32 bits, of which vectors have twice as many lanes. What is clamped is within the window's span, so that
// code generation narrows it before it is a vector (ElementEmitter::clampIn32Bits).
static Value countInsideIn32Bits(Scalar &s, Value o, const Window &window, int64_t d, Value low, Value high) {
  auto index = [&](int64_t v) -> Value { return arith::ConstantIndexOp::create(s.b, s.loc, v); };
  auto word = [&](int64_t v) -> Value { return arith::ConstantIntOp::create(s.b, s.loc, v, 32); };
  Value start = s.mul(o, index(window.strides[d]));
  auto before = [&](Value limit) -> Value {
    Value room = s.min(s.max(s.sub(limit, start), index(0)), index(window.span(d)));
    Value narrow = arith::IndexCastOp::create(s.b, s.loc, s.b.getI32Type(), room);
    if (window.dilations[d] == 1)
      return narrow;
    Value last = s.add(narrow, word(window.dilations[d] - 1)); // rounds up
    return arith::DivSIOp::create(s.b, s.loc, last, word(window.dilations[d]));
  };
  return s.sub(before(high), before(low));
}

// How many positions of each window are within [low, high) of the padded operand, as a number of `type`. `whole`: along
// which dimensions these are all of each window's, whatever the sizes.
static Value countAllInside(Scalar s, ValueRange place, const Window &window, ArrayRef<Value> low, ArrayRef<Value> high,
                            bool isFree, ArrayRef<bool> whole, Type type) {
  constexpr int64_t kExact = 1 << 24; // of floats, and far from what 32 bits hold
  int64_t most = 1, widest = 1;
  for (int64_t d = 0; d < window.rank(); ++d) {
    most = std::min(most * window.kernel[d], kExact);
    widest = std::max(widest, window.span(d));
  }
  if (isFree && most < kExact && widest < kExact) {
    Value count;
    int64_t always = 1;
    for (int64_t d = 0; d < window.rank(); ++d)
      if (whole[d]) {
        always *= window.kernel[d];
      } else {
        Value inside = countInsideIn32Bits(s, place[d], window, d, low[d], high[d]);
        count = count ? s.mul(count, inside) : inside;
      }
    if (!count)
      return s.constant(type, static_cast<double>(always));
    if (always > 1)
      count = s.mul(count, arith::ConstantIntOp::create(s.b, s.loc, always, 32));
    return arith::SIToFPOp::create(s.b, s.loc, type, count);
  }
  Value count = arith::ConstantIndexOp::create(s.b, s.loc, 1);
  for (int64_t d = 0; d < window.rank(); ++d)
    count = s.mul(count, countInside(s, place[d], window, d, low[d], high[d]));
  Value integer = arith::IndexCastOp::create(s.b, s.loc, s.b.getI64Type(), count);
  return arith::SIToFPOp::create(s.b, s.loc, type, integer);
}

static LogicalResult lowerAveragePool(NodeContext &node) {
  if (failed(requireFloat(node, 0)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor &x = *node.input(0);
  if (x.rank() < 3)
    return node.refuse("needs a batch, channels and at least one more dimension");
  FailureOr<Window> window = readWindow(node, {});
  if (failed(window))
    return failure();
  bool withPadding = node.getInt("count_include_pad", 0) != 0;
  Type type = x.elementType;
  Tensor padded = padForWindow(emitter, x, *window, makeAttribute(type, 0));
  Tensor sum = pool(emitter, padded, *window, makeAttribute(type, 0), /*maximum=*/false);
  SmallVector<Value> low, high;
  SmallVector<bool> whole;
  for (int64_t d = 0; d < window->rank(); ++d) {
    bool isPadded = getConstantIntValue(window->before[d]) != 0 || getConstantIntValue(window->after[d]) != 0;
    whole.push_back(!isPadded || (withPadding && node.getInt("ceil_mode", 0) == 0));
    low.push_back(emitter.sizes.value(withPadding ? emitter.sizes.constant(0) : window->before[d]));
    OpFoldResult end = emitter.sizes.add(window->before[d], x.sizes[d + 2]);
    high.push_back(emitter.sizes.value(withPadding ? window->padded[d] : end));
  }
  // Of fixed sizes the counts are constants.
  bool isFree =
      llvm::any_of(ArrayRef(x.sizes).drop_front(2), [](OpFoldResult size) { return !getConstantIntValue(size); });
  node.setOutput(0, emitter.generate(sum.sizes, type, {&sum}, [&](OpBuilder &b, Location loc, ValueRange v) {
    Scalar s{b, loc};
    return s.div(v[0], countAllInside(s, v.drop_front(3), *window, low, high, isFree, whole, type));
  }));
  return success();
}

void mlir::heddle::importer::registerConvolution(LoweringTable &table) {
  table.add("Conv", 1, lowerConv);
  table.add("MaxPool", 1, lowerMaxPool);
  table.add("AveragePool", 7, lowerAveragePool);
}
