// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax and the normalisations.
#include "compiler/Stages/Import/Onnx/Ops/Reduction/Normalization.h"

#include "compiler/Stages/Import/Emit/Convolve.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"

#include "compiler/Stages/Import/Onnx/Forms/Reductions.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::importer;

//===--- Softmax -------------------------------------------------------------------------------------------------===//

// The logarithm is (x - max) - log(sum).
Tensor mlir::heddle::importer::softmax(Emitter &emitter, Tensor &operand, int64_t axis, bool logarithm) {
  Tensor peak = reduceMax(emitter, operand, {axis});
  Tensor wide = emitter.keepDims(peak, {axis});
  auto shifted = [&](Scalar &s, ValueRange v) { return s.sub(v[0], v[1]); };
  if (logarithm) {
    Tensor x = map(emitter, {&operand, &wide}, operand.sizes, shifted);
    Tensor sum = emitter.reduce({&x}, {axis}, x.elementType, makeAttribute(x.elementType, 0),
                                [](OpBuilder &b, Location loc, ValueRange v, Value sum) {
                                  Scalar s{b, loc};
                                  return s.add(sum, s.exp(v[0]));
                                });
    Tensor total = emitter.keepDims(sum, {axis});
    return map(emitter, {&x, &total}, x.sizes, [](Scalar &s, ValueRange v) { return s.sub(v[0], s.log(v[1])); });
  }
  Tensor power =
      map(emitter, {&operand, &wide}, operand.sizes, [&](Scalar &s, ValueRange v) { return s.exp(shifted(s, v)); });
  Tensor sum = reduceSum(emitter, power, {axis});
  Tensor total = emitter.keepDims(sum, {axis});
  return map(emitter, {&power, &total}, power.sizes,
             [](Scalar &s, ValueRange v) { return s.divByReciprocal(v[0], v[1]); });
}

template <bool logarithm> static LogicalResult lowerSoftmax(NodeContext &node) {
  if (failed(requireFloat(node, 0)))
    return failure();
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", -1), node.input(0)->rank());
  if (!axis)
    return failure();
  node.setOutput(0, softmax(node.emitter, *node.input(0), *axis, logarithm));
  return success();
}

// Before operator set 13 the dimensions from the axis on are one.
template <bool logarithm> static LogicalResult lowerSoftmax1(NodeContext &node) {
  if (failed(requireFloat(node, 0)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor &operand = *node.input(0);
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", 1), operand.rank());
  if (!axis)
    return failure();
  ArrayRef<OpFoldResult> sizes(operand.sizes);
  SizeList flat{emitter.sizes.product(sizes.take_front(*axis)), emitter.sizes.product(sizes.drop_front(*axis))};
  Tensor matrix = emitter.reshape(operand, flat);
  Tensor result = softmax(emitter, matrix, 1, logarithm);
  node.setOutput(0, emitter.reshape(result, operand.sizes));
  return success();
}

//===--- LayerNormalization and kin ------------------------------------------------------------------------------===//

std::optional<Tensor> mlir::heddle::importer::fitTo(Emitter &emitter, Tensor x, ArrayRef<Tensor *> operands,
                                                    StringRef op) {
  SizeList sizes = x.sizes;
  for (Tensor *operand : operands) {
    if (!operand)
      continue;
    if (operand->rank() > x.rank())
      return std::nullopt;
    for (auto [have, want] : llvm::zip(operand->sizes, MutableArrayRef(sizes).take_back(operand->rank()))) {
      if (getConstantIntValue(have) == 1 || emitter.sizes.equal(have, want))
        continue;
      if (!getConstantIntValue(have) || getConstantIntValue(want))
        return std::nullopt;
      emitter.checkEqual(want, have, op + ": scale, bias and operand must be of one size");
      want = have;
    }
  }
  return sizes == x.sizes ? x : emitter.fromValue(emitter.value(x), sizes, x.elementType);
}

// 1 / sqrt(variance + epsilon).
static Tensor inverseDeviation(Emitter &emitter, Tensor &variance, double epsilon) {
  return map(emitter, {&variance}, variance.sizes, [&](Scalar &s, ValueRange v) {
    Value sum = s.add(v[0], s.constant(v[0].getType(), epsilon));
    return s.div(s.constant(sum.getType(), 1), s.sqrt(sum));
  });
}

// (x - mean) * inverse [* scale [+ bias]]; mean may be absent. All operands broadcast to x.
static Tensor normalize(Emitter &emitter, Tensor &x, Tensor *mean, Tensor &inverse, Tensor *scale, Tensor *bias) {
  SmallVector<Tensor *> operands{&x, &inverse};
  for (Tensor *operand : {mean, scale, bias})
    if (operand)
      operands.push_back(operand);
  return map(emitter, operands, x.sizes, [&](Scalar &s, ValueRange v) {
    unsigned next = 2;
    Value result = s.mul(mean ? s.sub(v[0], v[next++]) : v[0], v[1]);
    if (scale)
      result = s.mul(result, v[next++]);
    return bias ? s.add(result, v[next]) : result;
  });
}

static SmallVector<int64_t> axesFrom(int64_t axis, int64_t rank) { return llvm::to_vector(llvm::seq(axis, rank)); }

Normalized mlir::heddle::importer::layerNormalize(Emitter &emitter, Tensor &x, int64_t axis, double epsilon,
                                                  Tensor *scale, Tensor *bias) {
  SmallVector<int64_t> axes = axesFrom(axis, x.rank());
  Tensor sum = reduceSum(emitter, x, axes);
  Tensor mean = divideByCount(emitter, sum, x, axes);
  Tensor squares = reduceSquares(emitter, x, &mean, axes);
  Tensor variance = divideByCount(emitter, squares, x, axes);
  Tensor inverse = inverseDeviation(emitter, variance, epsilon);
  Tensor wideMean = emitter.keepDims(mean, axes), wideInverse = emitter.keepDims(inverse, axes);
  Tensor result = normalize(emitter, x, &wideMean, wideInverse, scale, bias);
  return {result, wideMean, wideInverse};
}

Normalized mlir::heddle::importer::rmsNormalize(Emitter &emitter, Tensor &x, int64_t axis, double epsilon,
                                                Tensor *scale) {
  SmallVector<int64_t> axes = axesFrom(axis, x.rank());
  Tensor squares = reduceSquares(emitter, x, nullptr, axes);
  Tensor mean = divideByCount(emitter, squares, x, axes);
  Tensor inverse = inverseDeviation(emitter, mean, epsilon);
  Tensor wide = emitter.keepDims(inverse, axes);
  Tensor result = normalize(emitter, x, nullptr, wide, scale, nullptr);
  return {result, {}, wide};
}

static LogicalResult lowerLayerNormalization(NodeContext &node) {
  if (failed(requireFloat(node, 0)) || failed(requireSameType(node, 2)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor *scale = node.input(1), *bias = node.input(2);
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", -1), node.input(0)->rank());
  if (!axis)
    return failure();
  std::optional<Tensor> x = fitTo(emitter, *node.input(0), {scale, bias}, node.op());
  if (!x)
    return node.refuse("scale or bias does not broadcast to the operand");
  Normalized made = layerNormalize(emitter, *x, *axis, node.getFloat("epsilon", 1e-5), scale, bias);
  node.setOutput(0, made.result);
  node.setOutput(1, made.mean);
  node.setOutput(2, made.inverse);
  return success();
}

static LogicalResult lowerRmsNormalization(NodeContext &node) {
  if (failed(requireFloat(node, 0)) || failed(requireSameType(node, 2)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor *scale = node.input(1);
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", -1), node.input(0)->rank());
  if (!axis)
    return failure();
  std::optional<Tensor> x = fitTo(emitter, *node.input(0), {scale}, node.op());
  if (!x)
    return node.refuse("the scale does not broadcast to the operand");
  Normalized made = rmsNormalize(emitter, *x, *axis, node.getFloat("epsilon", 1e-5), scale);
  node.setOutput(0, made.result);
  node.setOutput(1, made.inverse); // of SimplifiedLayerNormalization
  return success();
}

// [c] as [c, 1, 1, …] beside the operand [n, c, …].
static Tensor perChannel(Emitter &emitter, Tensor &vector, int64_t rank) {
  SizeList shape(rank - 1, emitter.sizes.constant(1));
  shape[0] = vector.sizes[0];
  return emitter.reshape(vector, shape);
}

static LogicalResult checkChannels(NodeContext &node, size_t first, size_t count) {
  Tensor &x = *node.input(0);
  if (x.rank() < 2)
    return node.refuse("needs a batch and channels");
  for (size_t i = first; i < first + count; ++i) {
    Tensor &vector = *node.input(i);
    if (vector.rank() != 1 || node.emitter.sizes.different(vector.sizes[0], x.sizes[1]))
      return node.refuse("input " + Twine(i) + " must have one element for each channel");
    node.emitter.checkEqual(vector.sizes[0], x.sizes[1],
                            node.op() + ": input " + Twine(i) + " must have one element for each channel");
  }
  return success();
}

// Training: mean and variance are those of the batch, and the other outputs are the running ones, moved towards them.
static void measureBatch(NodeContext &node, Tensor &mean, Tensor &variance) {
  Emitter &emitter = node.emitter;
  Tensor &x = *node.input(0);
  SmallVector<int64_t> axes = axesFrom(2, x.rank());
  axes.insert(axes.begin(), 0);
  Tensor sum = reduceSum(emitter, x, axes);
  Tensor batchMean = divideByCount(emitter, sum, x, axes);
  Tensor squares = reduceSquares(emitter, x, &batchMean, axes);
  Tensor batchVariance = divideByCount(emitter, squares, x, axes);
  double momentum = node.getFloat("momentum", 0.9);
  auto move = [&](Tensor &running, Tensor &measured) {
    return map(emitter, {&running, &measured}, running.sizes, [&](Scalar &s, ValueRange v) {
      Type type = v[0].getType();
      return s.add(s.mul(v[0], s.constant(type, momentum)), s.mul(v[1], s.constant(type, 1 - momentum)));
    });
  };
  node.setOutput(1, move(mean, batchMean));
  node.setOutput(2, move(variance, batchVariance));
  mean = batchMean;
  variance = batchVariance;
}

// With the mean and variance that are given, or those of the batch.
static LogicalResult lowerBatchNormalization(NodeContext &node) {
  if (failed(requireFloat(node, 0)) || failed(requireSameType(node, 5)) || failed(checkChannels(node, 1, 4)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor &x = *node.input(0);
  FittedChannels fitted(emitter, x, node.input(1)->sizes[0]);
  Tensor &scale = *node.input(1), &bias = *node.input(2), mean = *node.input(3), variance = *node.input(4);
  if (node.getInt("training_mode", 0) != 0)
    measureBatch(node, mean, variance);
  else if (node.wantsOutput(1))
    return node.refuse("outputs other than the first need training_mode = 1");
  Tensor inverse = inverseDeviation(emitter, variance, node.getFloat("epsilon", 1e-5));
  // One product and one sum for each element: factor and offset have one element for each channel.
  Tensor factor =
      map(emitter, {&scale, &inverse}, scale.sizes, [](Scalar &s, ValueRange v) { return s.mul(v[0], v[1]); });
  Tensor offset = map(emitter, {&bias, &mean, &factor}, bias.sizes,
                      [](Scalar &s, ValueRange v) { return s.sub(v[0], s.mul(v[1], v[2])); });
  Tensor wideFactor = perChannel(emitter, factor, x.rank()), wideOffset = perChannel(emitter, offset, x.rank());
  node.setOutput(0, map(emitter, {&x, &wideFactor, &wideOffset}, x.sizes,
                        [](Scalar &s, ValueRange v) { return s.add(s.mul(v[0], v[1]), v[2]); }));
  return success();
}

// Normalises over everything but batch and channel.
static LogicalResult lowerInstanceNormalization(NodeContext &node) {
  if (failed(requireFloat(node, 0)) || failed(requireSameType(node, 3)) || failed(checkChannels(node, 1, 2)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor &x = *node.input(0);
  FittedChannels fitted(emitter, x, node.input(1)->sizes[0]);
  SmallVector<int64_t> axes = axesFrom(2, x.rank());
  Tensor sum = reduceSum(emitter, x, axes);
  Tensor mean = divideByCount(emitter, sum, x, axes);
  Tensor squares = reduceSquares(emitter, x, &mean, axes);
  Tensor variance = divideByCount(emitter, squares, x, axes);
  Tensor inverse = inverseDeviation(emitter, variance, node.getFloat("epsilon", 1e-5));
  Tensor wideMean = emitter.keepDims(mean, axes), wideInverse = emitter.keepDims(inverse, axes);
  Tensor scale = perChannel(emitter, *node.input(1), x.rank()), bias = perChannel(emitter, *node.input(2), x.rank());
  node.setOutput(0, normalize(emitter, x, &wideMean, wideInverse, &scale, &bias));
  return success();
}

// The number of channels, fixed where the operand's or the parameters' is; else a multiple of `groups` by a check at
// the call, and its quotient. None, and the node is refused, where `groups` does not divide it.
struct GroupedChannels {
  OpFoldResult all, each;
};
static std::optional<GroupedChannels> groupChannels(NodeContext &node, int64_t groups, bool perGroup) {
  Emitter &emitter = node.emitter;
  Sizes &sizes = emitter.sizes;
  Tensor &x = *node.input(0), &scale = *node.input(1);
  OpFoldResult channels = x.sizes[1];
  if (!getConstantIntValue(channels) && !perGroup && scale.rank() == 1 && scale.staticSize(0)) {
    channels = scale.sizes[0];
    emitter.checkEqual(x.sizes[1], channels, "GroupNormalization: the scale must have one element for each channel");
  }
  if (std::optional<int64_t> known = getConstantIntValue(channels)) {
    if (*known % groups == 0)
      return GroupedChannels{channels, sizes.constant(*known / groups)};
    (void)node.refuse("num_groups = " + Twine(groups) + " must divide the number of channels, got " + Twine(*known));
    return std::nullopt;
  }
  OpFoldResult each = sizes.floorDiv(channels, sizes.constant(groups));
  OpFoldResult all = sizes.mul(each, sizes.constant(groups));
  emitter.checkEqual(all, channels,
                     "GroupNormalization: num_groups = " + Twine(groups) + " must divide the number of channels");
  return GroupedChannels{all, each};
}

// Normalises over the channels of a group and what follows them. Scale and bias have an element for each channel;
// before operator set 21, for each group.
template <bool perGroup> static LogicalResult lowerGroupNormalization(NodeContext &node) {
  if (failed(requireFloat(node, 0)) || failed(requireSameType(node, 3)))
    return failure();
  Emitter &emitter = node.emitter;
  Sizes &sizes = emitter.sizes;
  Tensor &x = *node.input(0);
  int64_t groups = node.getInt("num_groups", 0);
  if (x.rank() < 2 || groups < 1)
    return node.refuse("needs a batch, channels and num_groups of at least 1, got num_groups = " + Twine(groups));
  std::optional<GroupedChannels> channels = groupChannels(node, groups, perGroup);
  if (!channels)
    return failure();
  OpFoldResult count = perGroup ? sizes.constant(groups) : channels->all;
  for (size_t i : {1, 2}) {
    Tensor &vector = *node.input(i);
    std::string rule =
        "input " + std::to_string(i) + " must have one element for each " + (perGroup ? "group" : "channel");
    if (vector.rank() != 1 || sizes.different(vector.sizes[0], count))
      return node.refuse(rule);
    emitter.checkEqual(vector.sizes[0], count, "GroupNormalization: " + rule);
  }
  // As many channels as all groups have, known or not.
  SizeList whole = x.sizes;
  whole[1] = channels->all;
  Tensor grouped = emitter.fromValue(emitter.value(x), whole, x.elementType);
  SizeList split{whole[0], sizes.constant(groups), channels->each};
  SizeList parameter{sizes.constant(groups), perGroup ? sizes.constant(1) : channels->each};
  llvm::append_range(split, ArrayRef<OpFoldResult>(whole).drop_front(2));
  parameter.append(whole.size() - 2, sizes.constant(1));
  Tensor parts = emitter.reshape(grouped, split);
  SmallVector<int64_t> axes = axesFrom(2, parts.rank());
  Tensor sum = reduceSum(emitter, parts, axes);
  Tensor mean = divideByCount(emitter, sum, parts, axes);
  Tensor squares = reduceSquares(emitter, parts, &mean, axes);
  Tensor variance = divideByCount(emitter, squares, parts, axes);
  Tensor inverse = inverseDeviation(emitter, variance, node.getFloat("epsilon", 1e-5));
  Tensor wideMean = emitter.keepDims(mean, axes), wideInverse = emitter.keepDims(inverse, axes);
  auto asParameter = [&](Tensor &vector) {
    Tensor fitted = emitter.fromValue(emitter.value(vector), {count}, vector.elementType);
    return emitter.reshape(fitted, parameter);
  };
  Tensor scale = asParameter(*node.input(1)), bias = asParameter(*node.input(2));
  Tensor result = normalize(emitter, parts, &wideMean, wideInverse, &scale, &bias);
  Tensor flat = emitter.reshape(result, whole);
  node.setOutput(0, emitter.fromValue(emitter.value(flat), x.sizes, x.elementType));
  return success();
}

// (x - mean) / (deviation + 1e-9), along `axes`.
static LogicalResult lowerMeanVarianceNormalization(NodeContext &node) {
  if (failed(requireFloat(node, 0)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor &x = *node.input(0);
  std::optional<SmallVector<int64_t>> axes =
      node.normalizeAxes(node.getInts("axes").value_or(SmallVector<int64_t>{0, 2, 3}), x.rank());
  if (!axes)
    return failure();
  llvm::sort(*axes);
  Tensor sum = reduceSum(emitter, x, *axes);
  Tensor mean = divideByCount(emitter, sum, x, *axes);
  Tensor squares = reduceSquares(emitter, x, &mean, *axes);
  Tensor variance = divideByCount(emitter, squares, x, *axes);
  Tensor inverse = map(emitter, {&variance}, variance.sizes, [&](Scalar &s, ValueRange v) {
    Type type = v[0].getType();
    return s.div(s.constant(type, 1), s.add(s.sqrt(v[0]), s.constant(type, 1e-9)));
  });
  Tensor wideMean = emitter.keepDims(mean, *axes), wideInverse = emitter.keepDims(inverse, *axes);
  node.setOutput(0, normalize(emitter, x, &wideMean, wideInverse, nullptr, nullptr));
  return success();
}

// Divides by the sum of magnitudes (p = 1) or the root of the sum of squares (p = 2) along one axis; 0 / 0 is 0.
static LogicalResult lowerLpNormalization(NodeContext &node) {
  if (failed(requireFloat(node, 0)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor &x = *node.input(0);
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", -1), x.rank());
  int64_t p = node.getInt("p", 2);
  if (!axis)
    return failure();
  if (p != 1 && p != 2)
    return node.refuse("p must be 1 or 2, got " + Twine(p));
  Type type = x.elementType;
  Tensor sum = emitter.reduce({&x}, {*axis}, type, makeAttribute(type, 0),
                              [&](OpBuilder &b, Location loc, ValueRange v, Value sum) {
                                Scalar s{b, loc};
                                return s.add(sum, p == 1 ? s.abs(v[0]) : s.mul(v[0], v[0]));
                              });
  Tensor wide = emitter.keepDims(sum, {*axis});
  node.setOutput(0, map(emitter, {&x, &wide}, x.sizes, [&](Scalar &s, ValueRange v) {
                   Value norm = p == 1 ? v[1] : s.sqrt(v[1]), zero = s.constant(type, 0);
                   return s.select(s.equal(norm, zero), zero, s.div(v[0], norm));
                 }));
  return success();
}

void mlir::heddle::importer::registerNormalization(LoweringTable &table) {
  table.add("Softmax", 1, lowerSoftmax1<false>);
  table.add("Softmax", 13, lowerSoftmax<false>);
  table.add("LogSoftmax", 1, lowerSoftmax1<true>);
  table.add("LogSoftmax", 13, lowerSoftmax<true>);
  table.add("LayerNormalization", 1, lowerLayerNormalization); // before 17 ONNX Runtime's, of the same meaning
  table.add("RMSNormalization", 23, lowerRmsNormalization);
  table.add("SimplifiedLayerNormalization", 1, lowerRmsNormalization); // ONNX Runtime's, in the domain ai.onnx
  table.add("BatchNormalization", 7, lowerBatchNormalization);
  table.add("InstanceNormalization", 6, lowerInstanceNormalization);
  table.add("GroupNormalization", 18, lowerGroupNormalization<true>);
  table.add("GroupNormalization", 21, lowerGroupNormalization<false>);
  table.add("MeanVarianceNormalization", 9, lowerMeanVarianceNormalization);
  table.add("LpNormalization", 1, lowerLpNormalization);
}
