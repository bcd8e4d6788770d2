// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ConvTranspose as convolutions of stride 1, one for each set of output phases that the same taps reach (Phases.h),
// with no product with a zero that was not in the operand. Phases with equally many taps are filters of one
// convolution; a kernel as wide as the stride has one tap for each phase, which makes a matrix product.
#include "compiler/Stages/Import/Emit/Convolve.h"
#include "compiler/Stages/Import/Onnx/Forms/Phases.h"
#include "compiler/Stages/Import/Onnx/Forms/Reductions.h"
#include "compiler/Stages/Import/Onnx/Forms/Window.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::importer;

namespace {

class TransposedConvolution {
public:
  TransposedConvolution(NodeContext &node, int64_t groups, SmallVector<PhasedAxis> axes)
      : node(node), emitter(node.emitter), sizes(emitter.sizes), axes(std::move(axes)), groups(groups),
        x(*node.input(0)), weights(*node.input(1)) {}

  // Without the bias; nothing where a size cannot be had.
  std::optional<Tensor> run() {
    filters = *weights.staticSize(1);
    // Of one channel and one filter each phase is a depthwise convolution, and not a product of few columns. Of many
    // phases the columns are not few, and each would be a dispatch.
    int64_t most = emitter.forms.phaseDispatches, phases = 1;
    for (const PhasedAxis &axis : axes)
      phases = std::min(phases * std::min(axis.stride, most + 1), most + 1);
    if (groups > 1 && filters == 1 && weights.staticSize(0) == groups && phases <= most)
      for (PhasedAxis &axis : axes)
        axis.phases = separatePhases(axis.phases);
    return interleavePhases(emitter, axes, /*front=*/3, {x.sizes[0], sizes.constant(groups * filters)},
                            [&](ArrayRef<PhaseSet> sets) { return convolvePhases(sets); });
  }

private:
  std::optional<Tensor> convolvePhases(ArrayRef<PhaseSet> sets) {
    int64_t rank = sets.size(), phases = 1;
    SizeList split{x.sizes[0], sizes.constant(groups)},
        interleaved{x.sizes[0], sizes.constant(groups), sizes.constant(filters)};
    SmallVector<int64_t> permutation{0, 1, 2 + rank};
    for (auto [d, set] : llvm::enumerate(sets)) {
      phases *= set.count;
      split.push_back(sizes.constant(set.count));
      interleaved.append({axes[d].stepsOf(sizes), sizes.constant(set.count)});
      permutation.append({3 + rank + static_cast<int64_t>(d), 2 + static_cast<int64_t>(d)});
    }
    if (llvm::any_of(sets, [](const PhaseSet &set) { return set.taps == 0; }))
      return emitter.filled(x.elementType, interleaved, makeAttribute(x.elementType, 0));
    Window window;
    std::optional<Tensor> operand = windowOf(sets, window);
    if (!operand)
      return std::nullopt;
    Convolution conv = splitGroups(*operand, selectTaps(sets), phases, window);
    Tensor result = convolve(emitter, conv, window);
    split.push_back(sizes.constant(filters));
    llvm::append_range(split, window.output);
    Tensor apart = emitter.reshape(result, split);
    return emitter.transpose(apart, permutation);
  }

  // The operand that a convolution of these phases reads, cut and padded, and its window.
  std::optional<Tensor> windowOf(ArrayRef<PhaseSet> sets, Window &window) {
    SizeList offsets(2, sizes.constant(0)), extents{x.sizes[0], x.sizes[1]};
    for (auto [d, axis, set] : llvm::enumerate(axes, sets)) {
      int64_t low = axis.low(set), high = axis.high(set);
      int64_t cut = std::max<int64_t>(-low, 0) + std::max<int64_t>(-high, 0);
      window.kernel.push_back(set.taps);
      window.strides.push_back(1);
      window.dilations.push_back(set.dilation);
      window.before.push_back(sizes.constant(std::max<int64_t>(low, 0)));
      window.after.push_back(sizes.constant(std::max<int64_t>(high, 0)));
      window.output.push_back(axis.stepsOf(sizes));
      offsets.push_back(sizes.constant(std::max<int64_t>(-low, 0)));
      extents.push_back(sizes.sub(x.sizes[d + 2], sizes.constant(cut)));
      if (std::optional<int64_t> left = getConstantIntValue(extents.back()); left && *left < 0) {
        (void)node.refuse("the padding removes the whole operand");
        return std::nullopt;
      }
      emitter.checkLessEqual(sizes.constant(cut), x.sizes[d + 2], "ConvTranspose: the padding removes the operand");
    }
    Tensor operand = emitter.slice(x, offsets, extents, SmallVector<int64_t>(x.rank(), 1));
    return padForWindow(emitter, operand, window, makeAttribute(x.elementType, 0));
  }

  // W[(g c), f, k…] to [g, p…, f, c, j…], taps in the order in which a convolution meets them: last first.
  Tensor selectTaps(ArrayRef<PhaseSet> sets) {
    int64_t rank = sets.size(), loops = 3 + 2 * rank, group = 0, filter = 1 + rank, channel = 2 + rank;
    Builder &b = emitter.builder;
    OpFoldResult channels = sizes.floorDiv(weights.sizes[0], sizes.constant(groups));
    SizeList apart{sizes.constant(groups), channels, sizes.constant(filters)}, shape{sizes.constant(groups)};
    SmallVector<AffineExpr> read{b.getAffineDimExpr(group), b.getAffineDimExpr(channel), b.getAffineDimExpr(filter)};
    for (const PhaseSet &set : sets)
      shape.push_back(sizes.constant(set.count));
    shape.append({sizes.constant(filters), channels});
    for (auto [d, axis, set] : llvm::enumerate(axes, sets)) {
      apart.push_back(sizes.constant(axis.kernel));
      shape.push_back(sizes.constant(set.taps));
      AffineExpr phase = b.getAffineDimExpr(1 + d), tap = b.getAffineDimExpr(3 + rank + d);
      read.push_back(phase - tap * set.tapStep + (set.firstTap + (set.taps - 1) * set.tapStep));
    }
    Tensor grouped = emitter.reshape(weights, apart);
    MLIRContext *context = b.getContext();
    SmallVector<utils::IteratorType> iterators(loops, utils::IteratorType::parallel);
    return emitter.generic({emitter.value(grouped)},
                           {AffineMap::get(loops, 0, read, context), b.getMultiDimIdentityMap(loops)}, iterators, shape,
                           x.elementType, Value(), [](OpBuilder &, Location, ValueRange v) { return v[0]; });
  }

  // `taps` as selectTaps makes them, phases and filters as one dimension.
  Convolution splitGroups(Tensor &operand, Tensor taps, int64_t phases, const Window &window) {
    OpFoldResult channels = taps.sizes[2 + window.rank()];
    bool group = groups > 1, depthwise = group && getConstantIntValue(channels) == 1 && phases * filters == 1;
    SizeList operandShape{x.sizes[0]}, weightShape;
    for (SizeList *shape : {&operandShape, &weightShape})
      shape->append(group, sizes.constant(groups));
    weightShape.append(!depthwise, sizes.constant(phases * filters));
    for (SizeList *shape : {&operandShape, &weightShape})
      shape->append(!depthwise, channels);
    for (int64_t d = 0; d < window.rank(); ++d) {
      operandShape.push_back(operand.sizes[d + 2]);
      weightShape.push_back(sizes.constant(window.kernel[d]));
    }
    return {emitter.reshape(operand, operandShape), emitter.reshape(taps, weightShape), group, !depthwise, !depthwise};
  }

  NodeContext &node;
  Emitter &emitter;
  Sizes &sizes;
  SmallVector<PhasedAxis> axes;
  int64_t groups, filters = 0;
  Tensor &x, &weights;
};

// What the attributes say of the result's size, one entry for each dimension.
struct SizeAttributes {
  std::string automatic;
  SmallVector<int64_t> pads, outputPadding, outputShape; // the last may be empty

  LogicalResult read(NodeContext &node, int64_t rank) {
    automatic = node.getString("auto_pad", "NOTSET");
    if (automatic != "NOTSET" && automatic != "VALID" && automatic != "SAME_UPPER" && automatic != "SAME_LOWER")
      return node.refuse("attribute 'auto_pad' is '" + automatic + "'; known: NOTSET, VALID, SAME_UPPER, SAME_LOWER");
    pads.assign(2 * rank, 0);
    if (automatic == "NOTSET" && failed(readList(node, "pads", 2 * rank, 0, 0, pads)))
      return failure();
    if (failed(readList(node, "output_padding", rank, 0, 0, outputPadding)))
      return failure();
    outputShape = node.getInts("output_shape").value_or(SmallVector<int64_t>());
    if (static_cast<int64_t>(outputShape.size()) == rank + 2) // some exporters name batch and channels too
      outputShape.erase(outputShape.begin(), outputShape.begin() + 2);
    if (!outputShape.empty() && static_cast<int64_t>(outputShape.size()) != rank)
      return node.refuse("attribute 'output_shape' must have " + Twine(rank) + " entries, got " +
                         Twine(outputShape.size()));
    for (int64_t size : outputShape)
      if (size < 1 || size > Sizes::kMostElements)
        return node.refuse("attribute 'output_shape' has an entry " + Twine(size) + " that is out of range");
    return success();
  }
  bool isSame() const { return StringRef(automatic).starts_with("SAME"); }
};

} // namespace

// Padding and result size of dimension `d`, whose operand has `input` positions that reach `natural` without padding.
static LogicalResult placeResult(NodeContext &node, const SizeAttributes &attributes, int64_t d, PhasedAxis &axis) {
  Sizes &sizes = node.emitter.sizes;
  int64_t rank = attributes.outputPadding.size();
  OpFoldResult strided = sizes.mul(axis.input, sizes.constant(axis.stride));
  int64_t beyond = attributes.outputPadding[d] + (axis.kernel - 1) * axis.dilation + 1 - axis.stride;
  OpFoldResult natural = sizes.add(strided, sizes.constant(beyond));
  int64_t before = attributes.pads[d];
  if (!attributes.outputShape.empty() || attributes.isSame()) {
    axis.size = attributes.outputShape.empty() ? strided : sizes.constant(attributes.outputShape[d]);
    std::optional<int64_t> total = getConstantIntValue(sizes.sub(natural, axis.size));
    if (!total)
      return node.refuseFree("attribute 'output_shape' needs an operand of fixed size in dimension " + Twine(d + 2));
    total = std::max<int64_t>(*total, 0);
    before = attributes.automatic == "SAME_UPPER" ? *total / 2 : *total - *total / 2;
  } else {
    axis.size = sizes.sub(natural, sizes.constant(before + attributes.pads[d + rank]));
  }
  std::optional<int64_t> fixed = getConstantIntValue(axis.size);
  if (fixed && *fixed < 1)
    return node.refuse("the result would have " + Twine(*fixed) + " elements in dimension " + Twine(d + 2));
  node.emitter.checkLessEqual(sizes.constant(1), axis.size, "ConvTranspose: the padding leaves no result");
  // The size is strided + constant, or all is static.
  bool isPlaced = placePhases(sizes, axis, before);
  assert(isPlaced && "the size is no constant more than the strides");
  (void)isPlaced;
  return success();
}

static FailureOr<SmallVector<PhasedAxis>> readAxes(NodeContext &node, int64_t rank) {
  SmallVector<int64_t> kernel, strides, dilations;
  Tensor &weights = *node.input(1);
  SizeAttributes attributes;
  if (failed(readList(node, "strides", rank, 1, 1, strides)) ||
      failed(readList(node, "dilations", rank, 1, 1, dilations)) || failed(attributes.read(node, rank)))
    return failure();
  SmallVector<PhasedAxis> axes;
  int64_t sets = 1;
  for (int64_t d = 0; d < rank; ++d) {
    std::optional<int64_t> size = weights.staticSize(d + 2);
    if (!size || *size < 1)
      return node.refuseFree("the shape of the weights must be fixed");
    kernel.push_back(*size);
    constexpr int64_t kMostConvolutions = 256;
    if (dilations[d] > 1 && (sets *= strides[d]) > kMostConvolutions)
      return node.unsupported(
          "strides with dilations are one convolution for each place between two elements, of which "
          "there may be " +
          Twine(kMostConvolutions) + "; got more in dimension " + Twine(d + 2));
    PhasedAxis axis{
        *size, strides[d], dilations[d], node.input(0)->sizes[d + 2], {}, findPhases(*size, strides[d], dilations[d])};
    if (failed(placeResult(node, attributes, d, axis)))
      return failure();
    axes.push_back(std::move(axis));
  }
  if (node.hasAttribute("kernel_shape") && node.getInts("kernel_shape") != kernel)
    return node.refuse("attribute 'kernel_shape' is not the shape of the weights");
  return axes;
}

static LogicalResult lowerConvTranspose(NodeContext &node) {
  if (failed(requireFloat(node, 0)) || failed(requireSameType(node, 2)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor &x = *node.input(0), &weights = *node.input(1), *bias = node.input(2);
  if (x.rank() < 3 || weights.rank() != x.rank())
    return node.refuse("needs an operand and weights of one rank, at least 3");
  int64_t groups = node.getInt("group", 1);
  std::optional<int64_t> channels = weights.staticSize(0);
  if (!channels || !splitsEvenly(*channels, groups) || !weights.staticSize(1))
    return node.refuseFree("the channels must be fixed and a multiple of 'group', got group = " + Twine(groups));
  if (emitter.sizes.different(weights.sizes[0], x.sizes[1]))
    return node.refuse("the operand has " + Twine(x.staticSize(1).value_or(-1)) + " channels, the weights are for " +
                       Twine(*channels));
  emitter.checkEqual(weights.sizes[0], x.sizes[1],
                     "ConvTranspose: the operand must have as many channels as the weights");
  FittedChannels fitted(emitter, x, weights.sizes[0]);
  OpFoldResult filters = emitter.sizes.constant(groups * *weights.staticSize(1));
  if (bias &&
      (bias->rank() != 1 || bias->elementType != x.elementType || !emitter.sizes.equal(bias->sizes[0], filters)))
    return node.refuse("the bias must have one element for each filter");
  FailureOr<SmallVector<PhasedAxis>> axes = readAxes(node, x.rank() - 2);
  if (failed(axes))
    return failure();
  std::optional<Tensor> result = TransposedConvolution(node, groups, std::move(*axes)).run();
  if (!result)
    return failure();
  if (bias) {
    SizeList shape(x.rank() - 1, emitter.sizes.constant(1));
    shape[0] = filters;
    Tensor wide = emitter.reshape(*bias, shape);
    result = map(emitter, {&*result, &wide}, result->sizes, [](Scalar &s, ValueRange v) { return s.add(v[0], v[1]); });
  }
  node.setOutput(0, std::move(*result));
  return success();
}

void mlir::heddle::importer::registerConvTranspose(LoweringTable &table) {
  table.add("ConvTranspose", 1, lowerConvTranspose);
}
