// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MatMulInteger, ConvInteger, QLinearMatMul, QLinearConv, and products of quantised tensors.
#include "compiler/Stages/Import/Onnx/Forms/ConvolveNode.h"
#include "compiler/Stages/Import/Onnx/Forms/Products.h"
#include "compiler/Stages/Import/Onnx/Ops/Quantized/Quantization.h"
#include "compiler/Stages/Import/Onnx/Ops/Reduction/Pooling.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::importer;

static bool isByte(const Tensor &tensor) {
  return tensor.isInteger() && tensor.elementType.getIntOrFloatBitWidth() == 8;
}

// All elements of a constant are `value`.
static bool isAll(const Tensor *tensor, int64_t value) {
  if (!tensor || !tensor->isInteger())
    return false;
  if (tensor->data)
    return llvm::all_of(llvm::seq(tensor->data->size()), [&](int64_t i) { return tensor->data->integer(i) == value; });
  return tensor->contents &&
         llvm::all_of(*tensor->contents, [&](OpFoldResult e) { return getConstantIntValue(e) == value; });
}

static Tensor *unlessZero(Tensor *zeroPoint) { return isAll(zeroPoint, 0) ? nullptr : zeroPoint; }

static LogicalResult requireSteps(NodeContext &node, Steps a, Steps b) {
  for (Steps steps : {a, b}) {
    if (!isByte(*steps.tensor))
      return node.refuse("needs operands of 8-bit integers");
    if (steps.zeroPoint && steps.zeroPoint->elementType != steps.tensor->elementType)
      return node.refuse("a zero point must have its operand's type");
  }
  return success();
}

static Tensor sumInWords(Emitter &emitter, Tensor &bytes, ArrayRef<int64_t> axes) {
  Type i32 = emitter.builder.getI32Type();
  return emitter.reduce({&bytes}, axes, i32, makeAttribute(i32, 0),
                        [&](OpBuilder &b, Location loc, ValueRange v, Value sum) {
                          Scalar s{b, loc};
                          return s.add(sum, convert(s, v[0], bytes.elementType, i32));
                        });
}

//===--- Matrices ------------------------------------------------------------------------------------------------===//

// A parameter of the rows of [.., m, n]: [m] becomes [m, 1]; of the columns, [n] stays. One element is a scalar.
static Tensor perLine(Emitter &emitter, Tensor &tensor, bool ofRows) {
  if (tensor.staticCount() == 1)
    return emitter.reshape(tensor, {});
  if (tensor.rank() == 1 && ofRows)
    return emitter.reshape(tensor, {tensor.sizes[0], emitter.sizes.constant(1)});
  return tensor;
}

static LogicalResult requireBroadcast(NodeContext &node, const Tensor &product, const Tensor &parameter) {
  std::optional<SizeList> shape = node.emitter.broadcastSizes({product.sizes, parameter.sizes});
  bool fits = shape && shape->size() == product.sizes.size() &&
              llvm::all_of(llvm::zip(*shape, product.sizes),
                           [&](auto it) { return node.emitter.sizes.equal(std::get<0>(it), std::get<1>(it)); });
  return fits ? success() : node.refuse("a scale or zero point does not fit the operand");
}

// sum((a - za) * (b - zb)) = sum(a * b) - za * sum(b) - zb * sum(a) + k * za * zb.
static FailureOr<Tensor> correctProduct(NodeContext &node, Tensor &a, Tensor *aZero, Tensor &b, Tensor *bZero,
                                        Tensor product) {
  Emitter &emitter = node.emitter;
  Type i32 = emitter.builder.getI32Type(), aType = a.elementType, bType = b.elementType;
  SmallVector<Tensor *> operands{&product};
  Tensor za, zb, columnSums, rowSums;
  if (aZero) {
    za = perLine(emitter, *aZero, true);
    columnSums = sumInWords(emitter, b, {b.rank() - 2});
    columnSums = emitter.keepDims(columnSums, {b.rank() - 2});
    operands.append({&za, &columnSums});
  }
  if (bZero) {
    zb = perLine(emitter, *bZero, false);
    rowSums = sumInWords(emitter, a, {a.rank() - 1});
    rowSums = emitter.keepDims(rowSums, {a.rank() - 1});
    operands.append({&zb, &rowSums});
  }
  if (operands.size() == 1)
    return product;
  for (Tensor *operand : operands)
    if (failed(requireBroadcast(node, product, *operand)))
      return failure();
  Value depth = emitter.sizes.value(a.sizes.back());
  return emitter.elementwise(operands, product.sizes, i32, [&](OpBuilder &builder, Location loc, ValueRange v) {
    Scalar s{builder, loc};
    Value result = v[0], first = aZero ? convert(s, v[1], aType, i32) : Value();
    if (aZero)
      result = s.sub(result, s.mul(first, v[2]));
    if (!bZero)
      return result;
    size_t at = aZero ? 3 : 1;
    Value second = convert(s, v[at], bType, i32);
    result = s.sub(result, s.mul(second, v[at + 1]));
    if (!aZero)
      return result;
    Value k = arith::IndexCastOp::create(builder, loc, i32, depth);
    return s.add(result, s.mul(k, s.mul(first, second)));
  });
}

FailureOr<Tensor> mlir::heddle::importer::multiplySteps(NodeContext &node, Steps a, Steps b) {
  if (failed(requireSteps(node, a, b)))
    return failure();
  return multiplyAnyRank(
      node, *a.tensor, *b.tensor, node.emitter.builder.getI32Type(), [&](Tensor &lhs, Tensor &rhs, Tensor product) {
        return correctProduct(node, lhs, unlessZero(a.zeroPoint), rhs, unlessZero(b.zeroPoint), std::move(product));
      });
}

//===--- Convolutions --------------------------------------------------------------------------------------------===//

// `x` with the window's padding, which is the zero point.
static Tensor padWithZeroPoint(Emitter &emitter, Steps x, const Window &window) {
  Type type = x.tensor->elementType;
  auto constant = [&](int64_t value) { return emitter.builder.getIntegerAttr(storageType(type), value); };
  std::optional<int64_t> known = x.zeroPoint ? std::nullopt : std::optional<int64_t>(0);
  if (x.zeroPoint && x.zeroPoint->data)
    known = x.zeroPoint->data->integer(0);
  else if (x.zeroPoint && x.zeroPoint->contents)
    known = getConstantIntValue(x.zeroPoint->contents->front());
  if (known)
    return padForWindow(emitter, *x.tensor, window, IntegerAttr::get(storageType(type), APInt(8, *known & 255)));
  Tensor padded = padForWindow(emitter, *x.tensor, window, constant(0)), zeroPoint = emitter.reshape(*x.zeroPoint, {});
  if (padded.value == x.tensor->value)
    return padded;
  SmallVector<std::pair<Value, Value>> inside;
  for (int64_t d = 0; d < window.rank(); ++d)
    inside.emplace_back(emitter.sizes.value(window.before[d]), emitter.sizes.value(x.tensor->sizes[d + 2]));
  return emitter.generate(padded.sizes, type, {&padded, &zeroPoint},
                          [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                            Value use = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
                            for (auto [d, range] : llvm::enumerate(inside)) {
                              Value at = arith::SubIOp::create(b, loc, v[4 + d], range.first);
                              Value within = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, at, range.second);
                              use = arith::AndIOp::create(b, loc, use, within);
                            }
                            return arith::SelectOp::create(b, loc, use, v[0], v[1]);
                          });
}

// The integer that all elements of a constant are.
static std::optional<int64_t> onlyValue(Tensor &tensor) {
  if (tensor.staticCount() == 0 || !(tensor.data || tensor.contents))
    return std::nullopt;
  std::optional<int64_t> first =
      tensor.data ? std::optional<int64_t>(tensor.data->integer(0)) : getConstantIntValue(tensor.contents->front());
  return first && isAll(&tensor, *first) ? first : std::nullopt;
}

// Weights of a convolution, with their zero point plus `shift` (none: that is 0).
struct Weights {
  Tensor steps;
  Tensor *zeroPoint;
  int64_t shift = 0;

  bool hasZero() const { return zeroPoint && !isAll(zeroPoint, -shift); }
  // What is subtracted from steps, in 32 bits; `v`: an element of the zero point.
  Value zero(Scalar s, Value v) const {
    Type i32 = s.b.getI32Type();
    return s.add(convert(s, v, zeroPoint->elementType, i32), s.constant(i32, static_cast<double>(shift)));
  }
};

// [f] as what broadcasts along the filters of `rank` dimensions from the filters on; one element as a scalar.
static Tensor perFilter(Emitter &emitter, Tensor &zeroPoint, int64_t rank) {
  SizeList shape(zeroPoint.staticCount() == 1 ? 0 : rank, emitter.sizes.constant(1));
  if (!shape.empty())
    shape.front() = zeroPoint.sizes[0];
  return emitter.reshape(zeroPoint, shape);
}

// Every constant weight less its zero point is a signed byte.
static bool fitsSignedBytes(const Weights &weights) {
  const std::optional<TensorData> &steps = weights.steps.data, &zeros = weights.zeroPoint->data;
  if (!steps || !zeros || steps->size() == 0 || steps->size() % zeros->size() != 0)
    return false;
  int64_t each = steps->size() / zeros->size(), zero = 0, last = 0;
  return steps->allIntegers([&](int64_t i, int64_t step) {
    if (i == last) {
      zero = zeros->integer(i / each);
      last += each;
    }
    return llvm::isInt<8>(step - zero);
  });
}

// Weights whose zero point is 0 where that can be, else bytes of the other sign than x's, which products by
// instructions want: 128 more or less, and so is their zero point.
static Weights chooseWeights(Emitter &emitter, const Tensor &x, Steps given) {
  Weights weights{*given.tensor, unlessZero(given.zeroPoint)};
  if (!weights.zeroPoint)
    return weights;
  OpBuilder &b = emitter.builder;
  Type i8 = b.getIntegerType(8), u8 = b.getIntegerType(8, false), i32 = b.getI32Type(),
       from = weights.steps.elementType;
  if (fitsSignedBytes(weights)) {
    Tensor zero = perFilter(emitter, *weights.zeroPoint, weights.steps.rank());
    Tensor less = emitter.elementwise(
        {&weights.steps, &zero}, weights.steps.sizes, i8, [&](OpBuilder &builder, Location loc, ValueRange v) {
          Scalar s{builder, loc};
          return convert(s, s.sub(convert(s, v[0], from, i32), convert(s, v[1], from, i32)), i32, i8);
        });
    return {less, nullptr};
  }
  if (weights.steps.isUnsigned() != x.isUnsigned())
    return weights;
  weights.shift = x.isUnsigned() ? -128 : 128;
  weights.steps = emitter.elementwise({&weights.steps}, weights.steps.sizes, x.isUnsigned() ? i8 : u8,
                                      [&](OpBuilder &builder, Location loc, ValueRange v) -> Value {
                                        Value sign = arith::ConstantOp::create(builder, loc, b.getI8IntegerAttr(-128));
                                        return arith::XOrIOp::create(builder, loc, v[0], sign);
                                      });
  return weights;
}

// The sum of x less its zero point under each window of each group: [n, groups, o…].
static Tensor sumUnderWindows(Emitter &emitter, Steps x, const Window &window, int64_t groups) {
  Type i32 = emitter.builder.getI32Type(), type = x.tensor->elementType;
  Sizes &sizes = emitter.sizes;
  OpFoldResult each = sizes.floorDiv(x.tensor->sizes[1], sizes.constant(groups));
  SizeList split{x.tensor->sizes[0], sizes.constant(groups), each}, joined{x.tensor->sizes[0], sizes.constant(groups)};
  split.append(x.tensor->sizes.begin() + 2, x.tensor->sizes.end());
  joined.append(x.tensor->sizes.begin() + 2, x.tensor->sizes.end());
  Tensor channels = emitter.reshape(*x.tensor, split), sums = sumInWords(emitter, channels, {2});
  sums = emitter.reshape(sums, joined);
  if (x.zeroPoint) {
    Tensor zero = emitter.reshape(*x.zeroPoint, {});
    Value count = sizes.value(each);
    sums = emitter.elementwise({&sums, &zero}, joined, i32, [&](OpBuilder &b, Location loc, ValueRange v) {
      Scalar s{b, loc};
      return s.sub(v[0], s.mul(arith::IndexCastOp::create(b, loc, i32, count), convert(s, v[1], type, i32)));
    });
  }
  Tensor padded = padForWindow(emitter, sums, window, makeAttribute(i32, 0));
  auto isOne = [](int64_t size) { return size == 1; };
  return llvm::all_of(window.kernel, isOne) && llvm::all_of(window.strides, isOne) ? padded
                                                                                   : sumPool(emitter, padded, window);
}

// Less x's zero point times the sum of each filter's weights. `weightZero`: what was taken from each weight.
static Tensor correctForOperand(Emitter &emitter, Steps x, Weights &weights, int64_t weightZero, Tensor product) {
  if (!x.zeroPoint)
    return product;
  Type i32 = emitter.builder.getI32Type(), type = x.tensor->elementType, from = weights.steps.elementType;
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(1, weights.steps.rank()));
  Tensor sums = emitter.reduce({&weights.steps}, axes, i32, makeAttribute(i32, 0),
                               [&](OpBuilder &b, Location loc, ValueRange v, Value sum) {
                                 Scalar s{b, loc};
                                 Value step = convert(s, v[0], from, i32);
                                 if (weightZero != 0)
                                   step = s.sub(step, s.constant(i32, static_cast<double>(weightZero)));
                                 return s.add(sum, step);
                               });
  Tensor zeroPoint = emitter.reshape(*x.zeroPoint, {});
  sums = alongFilters(emitter, sums, product.rank());
  return emitter.elementwise({&product, &sums, &zeroPoint}, product.sizes, i32,
                             [&](OpBuilder &b, Location loc, ValueRange v) {
                               Scalar s{b, loc};
                               return s.sub(v[0], s.mul(v[1], convert(s, v[2], type, i32)));
                             });
}

// Less the weights' zero points times the sums under the windows.
static Tensor correctForWeights(Emitter &emitter, Weights &weights, Tensor windows, Tensor product) {
  Type i32 = emitter.builder.getI32Type();
  Sizes &sizes = emitter.sizes;
  OpFoldResult groups = windows.sizes[1];
  bool spread = getConstantIntValue(groups) != 1; // [n, g, f / g, o…] while it is corrected
  SizeList shape = product.sizes, plain = product.sizes;
  Tensor zero = perFilter(emitter, *weights.zeroPoint, product.rank() - 1);
  if (spread) {
    OpFoldResult filters = sizes.floorDiv(shape[1], groups);
    shape[1] = filters;
    shape.insert(shape.begin() + 1, groups);
    SizeList under = windows.sizes, ofZero = shape;
    under.insert(under.begin() + 2, sizes.constant(1));
    windows = emitter.reshape(windows, under);
    product = emitter.reshape(product, shape);
    std::fill(ofZero.begin() + 3, ofZero.end(), sizes.constant(1));
    ofZero.erase(ofZero.begin());
    if (zero.rank() > 0)
      zero = emitter.reshape(zero, ofZero);
  }
  Tensor corrected =
      emitter.elementwise({&product, &windows, &zero}, shape, i32, [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalar s{b, loc};
        return s.sub(v[0], s.mul(v[1], weights.zero(s, v[2])));
      });
  return emitter.reshape(corrected, plain);
}

static LogicalResult requireZeroPoints(NodeContext &node, Steps x, Steps weights) {
  if (x.zeroPoint && x.zeroPoint->staticCount() != 1)
    return node.refuse("needs one zero point for its operand");
  if (weights.zeroPoint && weights.zeroPoint->staticCount() != 1 &&
      (weights.zeroPoint->rank() != 1 || weights.tensor->rank() == 0 ||
       !node.emitter.sizes.equal(weights.zeroPoint->sizes[0], weights.tensor->sizes[0])))
    return node.refuse("the weights' zero points must be one, or one for each filter");
  return success();
}

// x with zero point zx, which pads, and w with zw: sum((x - zx) (w - zw)) = sum(x w) - zx sum(w) - zw sum(x - zx).
// The last sums are those under each window, for all filters of a group. A depthwise convolution would not save any
// work by that: it takes zw from its weights as it reads them.
FailureOr<Tensor> mlir::heddle::importer::convolveSteps(NodeContext &node, Steps x, Steps given) {
  Emitter &emitter = node.emitter;
  if (failed(requireSteps(node, x, given)) || failed(requireZeroPoints(node, x, given)))
    return failure();
  x.zeroPoint = unlessZero(x.zeroPoint);
  Weights weights = chooseWeights(emitter, *x.tensor, given);
  int64_t groups = node.getInt("group", 1);
  bool isDepthwise = groups > 1 && weights.steps.isStaticSize(0, groups) && weights.steps.isStaticSize(1, 1);
  std::optional<int64_t> zero = weights.hasZero() ? onlyValue(*weights.zeroPoint) : std::optional<int64_t>(0);
  int64_t inBody = isDepthwise && zero.value_or(0) != 0 ? *zero + weights.shift : 0;
  std::optional<Tensor> windows; // before the product, whose epilogue the correction is
  FailureOr<Tensor> product = convolveNode(
      node, *x.tensor, weights.steps, emitter.builder.getI32Type(),
      [&](const Window &window) {
        if (weights.hasZero() && inBody == 0)
          windows = sumUnderWindows(emitter, x, window, groups);
        return padWithZeroPoint(emitter, x, window);
      },
      inBody);
  if (failed(product))
    return failure();
  Tensor sums = correctForOperand(emitter, x, weights, inBody, *product);
  return windows ? correctForWeights(emitter, weights, *windows, sums) : sums;
}

//===--- Quantised tensors ---------------------------------------------------------------------------------------===//

static bool isQuantizedToBytes(const Tensor &tensor) {
  return tensor.quantized && isByte(tensor.quantized->source) && tensor.elementType.isF32() &&
         tensor.quantized->block == 0;
}

bool mlir::heddle::importer::hasPositiveScale(const Tensor &tensor) {
  const std::optional<TensorData> &scale = tensor.quantized->scale.data;
  return scale && llvm::all_of(llvm::seq(scale->size()), [&](int64_t i) { return scale->real(i) > 0; });
}

bool mlir::heddle::importer::canMultiplyQuantized(const Tensor &lhs, const Tensor &rhs) {
  return isQuantizedToBytes(lhs) && isQuantizedToBytes(rhs) && !lhs.quantized->axis && rhs.rank() >= 2 &&
         (!rhs.quantized->axis || *rhs.quantized->axis == rhs.rank() - 1);
}

bool mlir::heddle::importer::canConvolveQuantized(const Tensor &x, const Tensor &weights) {
  return isQuantizedToBytes(x) && isQuantizedToBytes(weights) && !x.quantized->axis &&
         (!weights.quantized->axis || *weights.quantized->axis == 0);
}

static Steps stepsOf(Tensor &tensor) {
  Quantization &quantization = *tensor.quantized;
  return {&quantization.source, quantization.zeroPoint ? &*quantization.zeroPoint : nullptr};
}

// Sums of products of steps times both scales.
static Tensor scaleSums(Emitter &emitter, Tensor &sums, Tensor &a, Tensor &b) {
  Type i32 = emitter.builder.getI32Type(), f32 = emitter.builder.getF32Type();
  std::optional<SizeList> shape = emitter.broadcastSizes({a.sizes, b.sizes});
  Tensor scale = emitter.elementwise({&a, &b}, *shape, f32, [](OpBuilder &builder, Location loc, ValueRange v) {
    return Scalar{builder, loc}.mul(v[0], v[1]);
  });
  return emitter.elementwise({&sums, &scale}, sums.sizes, f32, [&](OpBuilder &builder, Location loc, ValueRange v) {
    Scalar s{builder, loc};
    return s.mul(convert(s, v[0], i32, f32), v[1]);
  });
}

FailureOr<Tensor> mlir::heddle::importer::multiplyQuantized(NodeContext &node, Tensor &lhs, Tensor &rhs) {
  FailureOr<Tensor> sums = multiplySteps(node, stepsOf(lhs), stepsOf(rhs));
  if (failed(sums))
    return failure();
  return scaleSums(node.emitter, *sums, lhs.quantized->scale, rhs.quantized->scale);
}

FailureOr<Tensor> mlir::heddle::importer::convolveQuantized(NodeContext &node, Tensor &x, Tensor &weights) {
  FailureOr<Tensor> sums = convolveSteps(node, stepsOf(x), stepsOf(weights));
  if (failed(sums))
    return failure();
  Tensor scale = weights.quantized->scale;
  if (weights.quantized->axis)
    scale = alongFilters(node.emitter, scale, sums->rank());
  return scaleSums(node.emitter, *sums, x.quantized->scale, scale);
}

//===--- Ops -----------------------------------------------------------------------------------------------------===//

static LogicalResult lowerMatMulInteger(NodeContext &node) {
  if (failed(node.requireInputs(2)))
    return failure();
  FailureOr<Tensor> sums = multiplySteps(node, {node.input(0), node.input(2)}, {node.input(1), node.input(3)});
  if (failed(sums))
    return failure();
  node.setOutput(0, *sums);
  return success();
}

static LogicalResult lowerConvInteger(NodeContext &node) {
  if (failed(node.requireInputs(2)))
    return failure();
  FailureOr<Tensor> sums = convolveSteps(node, {node.input(0), node.input(2)}, {node.input(1), node.input(3)});
  if (failed(sums))
    return failure();
  node.setOutput(0, *sums);
  return success();
}

// Sums to steps of the result: times a's scale * b's scale / the result's, rounded, plus its zero point.
static Tensor requantize(Emitter &emitter, Tensor &sums, Tensor &a, Tensor &b, Tensor &scale, Tensor &zeroPoint) {
  Type i32 = emitter.builder.getI32Type(), f32 = emitter.builder.getF32Type(), to = zeroPoint.elementType;
  SmallVector<Type> types{a.elementType, b.elementType, scale.elementType};
  std::optional<SizeList> shape = emitter.broadcastSizes({a.sizes, b.sizes});
  Tensor factor =
      emitter.elementwise({&a, &b, &scale}, *shape, f32, [&](OpBuilder &builder, Location loc, ValueRange v) {
        Scalar s{builder, loc};
        auto real = [&](size_t i) { return convert(s, v[i], types[i], f32); };
        return s.div(s.mul(real(0), real(1)), real(2));
      });
  return emitter.elementwise(
      {&sums, &factor, &zeroPoint}, sums.sizes, to, [&](OpBuilder &builder, Location loc, ValueRange v) {
        Scalar s{builder, loc};
        return roundToStep(s, s.mul(convert(s, v[0], i32, f32), v[1]), convert(s, v[2], to, i32), to);
      });
}

static LogicalResult requireScales(NodeContext &node, ArrayRef<size_t> scales, size_t result) {
  for (size_t i : scales)
    if (!node.input(i)->isFloat() || node.input(i)->elementType.getIntOrFloatBitWidth() > 32)
      return node.unsupported("needs scales of at most 32 bits");
  if (node.input(result)->staticCount() != 1 || node.input(result + 1)->staticCount() != 1 ||
      !isByte(*node.input(result + 1)))
    return node.refuse("needs one scale and one zero point of 8 bits for the result");
  return success();
}

static LogicalResult lowerQLinearMatMul(NodeContext &node) {
  if (failed(node.requireInputs(8)) || failed(requireScales(node, {1, 4, 6}, 6)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor aScale = perLine(emitter, *node.input(1), true), bScale = perLine(emitter, *node.input(4), false);
  Tensor scale = emitter.reshape(*node.input(6), {}), zeroPoint = emitter.reshape(*node.input(7), {});
  FailureOr<Tensor> sums = multiplySteps(node, {node.input(0), node.input(2)}, {node.input(3), node.input(5)});
  if (failed(sums) || failed(requireBroadcast(node, *sums, aScale)) || failed(requireBroadcast(node, *sums, bScale)))
    return failure();
  node.setOutput(0, requantize(emitter, *sums, aScale, bScale, scale, zeroPoint));
  return success();
}

static LogicalResult lowerQLinearConv(NodeContext &node) {
  if (failed(node.requireInputs(8)) || failed(requireScales(node, {1, 4, 6}, 6)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor &weights = *node.input(3), *bias = node.input(8), weightScale = *node.input(4);
  Type i32 = emitter.builder.getI32Type();
  if (node.input(1)->staticCount() != 1)
    return node.refuse("needs one scale for its operand");
  FailureOr<Tensor> sums = convolveSteps(node, {node.input(0), node.input(2)}, {&weights, node.input(5)});
  if (failed(sums))
    return failure();
  auto perFilter = [&](const Tensor &t) { return t.rank() == 1 && emitter.sizes.equal(t.sizes[0], weights.sizes[0]); };
  if ((bias && (bias->elementType != i32 || !perFilter(*bias))) ||
      (weightScale.staticCount() != 1 && !perFilter(weightScale)))
    return node.refuse("bias and the weights' scales must have one element for each filter");
  if (bias) {
    Tensor wide = alongFilters(emitter, *bias, sums->rank());
    *sums = map(emitter, {&*sums, &wide}, sums->sizes, [](Scalar &s, ValueRange v) { return s.add(v[0], v[1]); });
  }
  Tensor operandScale = emitter.reshape(*node.input(1), {});
  weightScale = weightScale.staticCount() == 1 ? emitter.reshape(weightScale, {})
                                               : alongFilters(emitter, weightScale, sums->rank());
  Tensor scale = emitter.reshape(*node.input(6), {}), zeroPoint = emitter.reshape(*node.input(7), {});
  node.setOutput(0, requantize(emitter, *sums, operandScale, weightScale, scale, zeroPoint));
  return success();
}

void mlir::heddle::importer::registerIntegerProducts(LoweringTable &table) {
  table.add("MatMulInteger", 10, lowerMatMulInteger);
  table.add("ConvInteger", 10, lowerConvInteger);
  table.add("QLinearMatMul", 10, lowerQLinearMatMul);
  table.add("QLinearConv", 10, lowerQLinearConv);
}
