// Conv, MaxPool and AveragePool.
#include "compiler/Stages/Import/Onnx/Ops/Contraction.h"
#include "compiler/Stages/Import/Onnx/Ops/Reductions.h"
#include "compiler/Stages/Import/Onnx/Ops/Window.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::importer;

//===--- Convolution as a matrix product -------------------------------------------------------------------------===//

// Spatial dimensions that are more than a formality: not of size 1 in operand, window and result.
static SmallVector<int64_t> realDims(Tensor &padded, const Window &window) {
  SmallVector<int64_t> dims;
  for (int64_t d = 0; d < window.rank(); ++d)
    if (!(padded.isStaticSize(d + 2, 1) && window.kernel[d] == 1))
      dims.push_back(d);
  return dims;
}

// [n, c, s…] to [n, o…, k…, c]: for each result position the operand's elements under the window, channels last.
static Tensor gatherWindows(Emitter &emitter, Tensor &padded, const Window &window, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> permutation{0};
  SizeList plain{padded.sizes[0]};
  for (int64_t d : dims)
    plain.push_back(padded.sizes[d + 2]);
  plain.push_back(padded.sizes[1]);
  for (int64_t d = 2; d < padded.rank(); ++d)
    permutation.push_back(d);
  permutation.push_back(1);
  Tensor channelsLast = emitter.transpose(padded, permutation);
  Tensor operand = emitter.reshape(channelsLast, plain);
  SizeList shape{plain.front()};
  for (int64_t d : dims)
    shape.push_back(window.output[d]);
  SmallVector<int64_t> windowDims;
  for (int64_t d : dims)
    if (window.kernel[d] != 1) {
      windowDims.push_back(d);
      shape.push_back(emitter.sizes.constant(window.kernel[d]));
    }
  shape.push_back(plain.back());
  bool plainCopy = windowDims.empty() && llvm::all_of(dims, [&](int64_t d) { return window.strides[d] == 1; });
  if (plainCopy)
    return operand;
  Builder &b = emitter.builder;
  SmallVector<AffineExpr> read{b.getAffineDimExpr(0)};
  int64_t nextWindow = 1 + static_cast<int64_t>(dims.size());
  for (auto [i, d] : llvm::enumerate(dims)) {
    AffineExpr at = b.getAffineDimExpr(1 + i) * window.strides[d];
    if (window.kernel[d] != 1)
      at = at + b.getAffineDimExpr(nextWindow++) * window.dilations[d];
    read.push_back(at);
  }
  read.push_back(b.getAffineDimExpr(shape.size() - 1));
  SmallVector<utils::IteratorType> iterators(shape.size(), utils::IteratorType::parallel);
  return emitter.generic(
      {emitter.value(operand)},
      {AffineMap::get(shape.size(), 0, read, b.getContext()), b.getMultiDimIdentityMap(shape.size())}, iterators, shape,
      operand.elementType, {}, [](OpBuilder &, Location, ValueRange v) { return v[0]; });
}

// One group: windows [n * o…, k… * c] times weights [k… * c, f]. The product is where the time goes and has the best
// form for code generation; a window of 1 costs no copy.
static Tensor convolveByMatmul(Emitter &emitter, Tensor &padded, Tensor &weights, Tensor *bias, const Window &window) {
  Sizes &sizes = emitter.sizes;
  SmallVector<int64_t> dims = realDims(padded, window);
  Tensor columns = gatherWindows(emitter, padded, window, dims);
  SizeList rowSizes{padded.sizes[0]};
  for (int64_t d : dims)
    rowSizes.push_back(window.output[d]);
  OpFoldResult rows = sizes.product(rowSizes), depth = padded.sizes[1];
  for (int64_t k : window.kernel)
    depth = sizes.mul(depth, sizes.constant(k));
  SmallVector<int64_t> permutation;
  for (int64_t d = 0; d < window.rank(); ++d)
    permutation.push_back(d + 2);
  permutation.append({1, 0});
  Tensor kernelFirst = emitter.transpose(weights, permutation);
  Tensor lhs = emitter.reshape(columns, {rows, depth}), rhs = emitter.reshape(kernelFirst, {depth, weights.sizes[0]});
  Tensor product = matmul(emitter, lhs, rhs);
  if (bias)
    product = map(emitter, {&product, bias}, product.sizes, [](Scalar &s, ValueRange v) { return s.add(v[0], v[1]); });
  SizeList channelsLast{padded.sizes[0]};
  llvm::append_range(channelsLast, window.output);
  channelsLast.push_back(weights.sizes[0]);
  Tensor shaped = emitter.reshape(product, channelsLast);
  SmallVector<int64_t> back{0, window.rank() + 1};
  for (int64_t d = 0; d < window.rank(); ++d)
    back.push_back(d + 1);
  return emitter.transpose(shaped, back);
}

// Several groups: directly, loops n, g, f, o…, c, k….
static Tensor convolveGroups(Emitter &emitter, Tensor &padded, Tensor &weights, int64_t groups, const Window &window) {
  Sizes &sizes = emitter.sizes;
  int64_t rank = window.rank(), loops = 4 + 2 * rank;
  OpFoldResult g = sizes.constant(groups), filters = sizes.floorDiv(weights.sizes[0], g);
  SizeList inputShape{padded.sizes[0], g, weights.sizes[1]}, weightShape{g, filters, weights.sizes[1]};
  SizeList shape{padded.sizes[0], g, filters}, flat{padded.sizes[0], weights.sizes[0]};
  Builder &b = emitter.builder;
  auto dim = [&](int64_t d) { return b.getAffineDimExpr(d); };
  AffineExpr channel = dim(3 + rank);
  SmallVector<AffineExpr> read{dim(0), dim(1), channel}, weigh{dim(1), dim(2), channel}, write{dim(0), dim(1), dim(2)};
  SmallVector<utils::IteratorType> iterators(3 + rank, utils::IteratorType::parallel);
  iterators.resize(loops, utils::IteratorType::reduction);
  for (int64_t d = 0; d < rank; ++d) {
    inputShape.push_back(padded.sizes[d + 2]);
    weightShape.push_back(weights.sizes[d + 2]);
    shape.push_back(window.output[d]);
    flat.push_back(window.output[d]);
    AffineExpr out = dim(3 + d), tap = dim(4 + rank + d);
    read.push_back(out * window.strides[d] + tap * window.dilations[d]);
    weigh.push_back(tap);
    write.push_back(out);
  }
  Tensor x = emitter.reshape(padded, inputShape), w = emitter.reshape(weights, weightShape);
  MLIRContext *context = b.getContext();
  Value init = emitter.filled(x.elementType, shape, makeAttribute(x.elementType, 0)).value;
  Tensor result =
      emitter.generic({emitter.value(x), emitter.value(w)},
                      {AffineMap::get(loops, 0, read, context), AffineMap::get(loops, 0, weigh, context),
                       AffineMap::get(loops, 0, write, context)},
                      iterators, shape, x.elementType, init, [](OpBuilder &builder, Location loc, ValueRange v) {
                        Scalar s{builder, loc};
                        return s.add(v[2], s.mul(v[0], v[1]));
                      });
  return emitter.reshape(result, flat);
}

static LogicalResult lowerConv(NodeContext &node) {
  if (failed(requireFloat(node, 0)) || failed(requireSameType(node, 2)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor &x = *node.input(0), &weights = *node.input(1), *bias = node.input(2);
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
  if (groups < 1 || !filters || *filters % groups != 0)
    return node.refuse("the number of filters must be fixed and a multiple of 'group', got group = " + Twine(groups));
  OpFoldResult channels = sizes.mul(weights.sizes[1], sizes.constant(groups));
  if (sizes.different(channels, x.sizes[1]))
    return node.refuse("the operand has " + Twine(x.staticSize(1).value_or(-1)) + " channels, the weights are for " +
                       Twine(getConstantIntValue(channels).value_or(-1)));
  emitter.checkEqual(channels, x.sizes[1], "Conv: the operand must have as many channels as the weights");
  if (bias &&
      (bias->rank() != 1 || bias->elementType != x.elementType || !sizes.equal(bias->sizes[0], weights.sizes[0])))
    return node.refuse("the bias must have one element for each filter");
  Tensor padded = padForWindow(emitter, x, *window, makeAttribute(x.elementType, 0));
  if (groups == 1) {
    node.setOutput(0, convolveByMatmul(emitter, padded, weights, bias, *window));
    return success();
  }
  Tensor result = convolveGroups(emitter, padded, weights, groups, *window);
  if (bias) {
    SizeList shape(x.rank() - 1, sizes.constant(1));
    shape[0] = bias->sizes[0];
    Tensor wide = emitter.reshape(*bias, shape);
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
                           Scalar s{builder, loc};
                           return maximum ? s.max(v[2], v[0]) : s.add(v[2], v[0]);
                         });
}

static LogicalResult lowerMaxPool(NodeContext &node) {
  if (failed(requireFloat(node, 0)))
    return failure();
  if (node.input(0)->rank() < 3)
    return node.refuse("needs a batch, channels and at least one more dimension");
  if (node.wantsOutput(1))
    return node.refuse("the output Indices is not supported");
  FailureOr<Window> window = readWindow(node, {});
  if (failed(window))
    return failure();
  TypedAttr least = lowest(node.input(0)->elementType);
  Tensor padded = padForWindow(node.emitter, *node.input(0), *window, least);
  node.setOutput(0, pool(node.emitter, padded, *window, least, /*maximum=*/true));
  return success();
}

// How many positions of window `o` lie in [low, high) of the padded operand.
static Value countInside(Scalar &s, Value o, const Window &window, int64_t d, Value low, Value high) {
  auto constant = [&](int64_t v) -> Value { return arith::ConstantIndexOp::create(s.b, s.loc, v); };
  Value start = s.mul(o, constant(window.strides[d])), step = constant(window.dilations[d]);
  auto before = [&](Value limit) { // taps at positions below `limit`
    Value room = s.max(s.sub(limit, start), constant(0));
    Value taps = arith::CeilDivSIOp::create(s.b, s.loc, room, step);
    return s.min(taps, constant(window.kernel[d]));
  };
  return s.sub(before(high), before(low));
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
  if (withPadding && node.getInt("ceil_mode", 0))
    return node.refuse("count_include_pad with ceil_mode is not supported");
  Type type = x.elementType;
  Tensor padded = padForWindow(emitter, x, *window, makeAttribute(type, 0));
  Tensor sum = pool(emitter, padded, *window, makeAttribute(type, 0), /*maximum=*/false);
  SmallVector<Value> low, high;
  for (int64_t d = 0; d < window->rank(); ++d) {
    low.push_back(emitter.sizes.value(withPadding ? emitter.sizes.constant(0) : window->before[d]));
    OpFoldResult end = emitter.sizes.add(window->before[d], x.sizes[d + 2]);
    high.push_back(emitter.sizes.value(withPadding ? padded.sizes[d + 2] : end));
  }
  node.setOutput(0, emitter.generate(sum.sizes, type, {&sum}, [&](OpBuilder &b, Location loc, ValueRange v) {
    Scalar s{b, loc};
    Value count = arith::ConstantIndexOp::create(b, loc, 1);
    for (int64_t d = 0; d < window->rank(); ++d)
      count = s.mul(count, countInside(s, v[3 + d], *window, d, low[d], high[d]));
    Value integer = arith::IndexCastOp::create(b, loc, b.getI64Type(), count);
    return s.div(v[0], arith::SIToFPOp::create(b, loc, type, integer));
  }));
  return success();
}

void mlir::heddle::importer::registerConvolution(LoweringTable &table) {
  table.add("Conv", 1, lowerConv);
  table.add("MaxPool", 1, lowerMaxPool);
  table.add("AveragePool", 7, lowerAveragePool);
}
