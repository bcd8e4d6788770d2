// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resize and Upsample: one axis after the other.
#include "compiler/Stages/Import/Onnx/Forms/ByCall.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"
#include "compiler/Stages/Import/Onnx/Ops/Vision/ResizeAxes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <cmath>

using namespace mlir;
using namespace mlir::heddle::importer;

//===--- Whole factors -------------------------------------------------------------------------------------------===//

// Nearest neighbours at whole factors: element o is element o / factor.
static bool isRepetition(const Resizing &resizing, ArrayRef<ResizedAxis> axes) {
  bool halves = resizing.transform == "half_pixel" || resizing.transform == "pytorch_half_pixel";
  bool rounds = resizing.nearest == "round_prefer_floor" || resizing.nearest == "round_prefer_ceil";
  bool corners = resizing.transform == "asymmetric" || resizing.transform == "tf_half_pixel_for_nn";
  bool floors = corners && resizing.nearest == "floor";
  return resizing.mode == ResizeMode::Nearest && (floors || (halves && rounds)) &&
         llvm::all_of(axes, [](const ResizedAxis &axis) {
           return axis.fixedScale && *axis.fixedScale >= 1 && *axis.fixedScale <= kLongestAxis &&
                  *axis.fixedScale == std::floor(*axis.fixedScale);
         });
}

static Tensor repeat(Emitter &emitter, Tensor &x, ArrayRef<ResizedAxis> axes) {
  SizeList shape = x.sizes;
  Builder &b = emitter.builder;
  SmallVector<AffineExpr> read;
  for (int64_t d = 0; d < x.rank(); ++d)
    read.push_back(b.getAffineDimExpr(d));
  for (const ResizedAxis &axis : axes) {
    read[axis.dim] = read[axis.dim].floorDiv(static_cast<int64_t>(*axis.fixedScale));
    shape[axis.dim] = axis.size;
  }
  SmallVector<utils::IteratorType> iterators(x.rank(), utils::IteratorType::parallel);
  return emitter.generic({emitter.value(x)},
                         {AffineMap::get(x.rank(), 0, read, b.getContext()), b.getMultiDimIdentityMap(x.rank())},
                         iterators, shape, x.elementType, {}, [](OpBuilder &, Location, ValueRange v) { return v[0]; });
}

//===--- Sizes and scales ----------------------------------------------------------------------------------------===//

// One f64: `body` of the captured values.
static Tensor computeScalar(Emitter &emitter, const Resizing &resizing, llvm::function_ref<Value(Coordinates &)> body) {
  return emitter.generate({}, emitter.builder.getF64Type(), {}, [&](OpBuilder &b, Location loc, ValueRange) {
    Coordinates c{{b, loc}, resizing};
    return body(c);
  });
}

// How a size comes from a scale.
enum class Rounding { Down, ToNearest };

// Gives the axis the size that its scale makes, at the call where the scale is not fixed. Down is floor of an f32
// product, as in ONNX's shape inference: 2.6 times 5 are 13, though the f32 next to 2.6 is less.
static LogicalResult scaleAxis(NodeContext &node, const Resizing &resizing, ResizedAxis &axis, Rounding rounding) {
  Emitter &emitter = node.emitter;
  Sizes &sizes = emitter.sizes;
  OpFoldResult length = node.input(0)->sizes[axis.dim];
  if (axis.fixedScale) {
    double scale = *axis.fixedScale;
    if (std::optional<int64_t> fixed = getConstantIntValue(length)) {
      double exact = scale * static_cast<double>(*fixed);
      double size =
          std::floor(rounding == Rounding::Down ? static_cast<double>(static_cast<float>(exact)) : exact + 0.5);
      if (!(size <= kLongestAxis))
        return node.refuse("a scale of " + Twine(std::to_string(scale)) + " makes axis " + Twine(axis.dim) +
                           " of length " + Twine(*fixed) + " too long");
      axis.size = sizes.constant(static_cast<int64_t>(size));
      return success();
    }
    if (!(scale <= kLongestAxis && scale >= 1 / kLongestAxis))
      return node.refuse("a scale of " + Twine(std::to_string(scale)) + " is out of range");
    if (scale == std::floor(scale)) {
      axis.size = sizes.mul(length, sizes.constant(static_cast<int64_t>(scale)));
      return success();
    }
    if (double inverse = 1 / scale; rounding == Rounding::Down && inverse == std::floor(inverse)) {
      axis.size = sizes.floorDiv(length, sizes.constant(static_cast<int64_t>(inverse)));
      return success();
    }
  }
  Value in = sizes.value(length);
  Tensor size = emitter.generate(
      {}, emitter.builder.getI64Type(), {&axis.scale}, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
        Coordinates c{{b, loc}, resizing};
        Value exact = c.s.mul(v[0], c.toReal(in));
        Type f32 = b.getF32Type(), f64 = c.f64();
        Value sum = rounding == Rounding::Down ? convert(c.s, convert(c.s, exact, f64, f32), f32, f64)
                                               : c.s.add(exact, c.number(0.5));
        return convert(c.s, c.floor(sum), f64, b.getI64Type());
      });
  (void)emitter.readContents(size);
  emitter.requireSizes(*size.contents, "Resize: a scale is negative");
  axis.size = size.contents->front();
  return success();
}

// Element `i` of a list of floats as one f64.
static Tensor elementOf(Emitter &emitter, const Resizing &resizing, Tensor &list, int64_t i) {
  Type type = list.elementType, f64 = emitter.builder.getF64Type();
  if (list.data)
    return makeScalar(emitter, f64, list.data->real(i));
  Value source = emitter.value(list);
  return computeScalar(emitter, resizing, [&](Coordinates &c) {
    Value at = arith::ConstantIndexOp::create(c.s.b, c.s.loc, i);
    Value element = tensor::ExtractOp::create(c.s.b, c.s.loc, source, ValueRange{at});
    return convert(c.s, element, type, f64);
  });
}

static LogicalResult readScales(NodeContext &node, const Resizing &resizing, Tensor &scales,
                                SmallVectorImpl<ResizedAxis> &axes) {
  if (!scales.isFloat() || scales.rank() != 1 || scales.staticSize(0) != static_cast<int64_t>(axes.size()))
    return node.refuse("needs one scale for each axis");
  for (auto [i, axis] : llvm::enumerate(axes)) {
    axis.scale = elementOf(node.emitter, resizing, scales, static_cast<int64_t>(i));
    if (scales.data) {
      axis.fixedScale = scales.data->real(static_cast<int64_t>(i));
      if (!(*axis.fixedScale > 0 && *axis.fixedScale < 1e6))
        return node.refuse("a scale must be positive, got " + Twine(std::to_string(*axis.fixedScale)));
    }
    if (failed(scaleAxis(node, resizing, axis, Rounding::Down)))
      return failure();
  }
  return success();
}

// One scale for all axes: the least or the greatest of theirs.
static LogicalResult keepAspect(NodeContext &node, const Resizing &resizing, SmallVectorImpl<ResizedAxis> &axes,
                                bool least) {
  Emitter &emitter = node.emitter;
  bool fixed = llvm::all_of(axes, [](const ResizedAxis &axis) { return axis.fixedScale.has_value(); });
  std::optional<double> scale;
  for (const ResizedAxis &axis : axes)
    if (fixed)
      scale = !scale  ? *axis.fixedScale
              : least ? std::min(*scale, *axis.fixedScale)
                      : std::max(*scale, *axis.fixedScale);
  SmallVector<Tensor *> scales = llvm::map_to_vector(axes, [](ResizedAxis &axis) { return &axis.scale; });
  Type f64 = emitter.builder.getF64Type();
  Tensor common = fixed ? makeScalar(emitter, f64, *scale)
                        : emitter.elementwise(scales, {}, f64, [&](OpBuilder &b, Location loc, ValueRange v) {
                            Scalar s{b, loc};
                            Value best = v[0];
                            for (Value next : v.drop_front())
                              best = least ? s.min(best, next) : s.max(best, next);
                            return best;
                          });
  for (ResizedAxis &axis : axes) {
    axis.scale = common;
    axis.fixedScale = scale;
    if (failed(scaleAxis(node, resizing, axis, Rounding::ToNearest)))
      return failure();
  }
  return success();
}

static LogicalResult readSizes(NodeContext &node, const Resizing &resizing, size_t input,
                               SmallVectorImpl<ResizedAxis> &axes) {
  Emitter &emitter = node.emitter;
  std::optional<SizeList> list = node.readContents(input);
  if (!list || list->size() != axes.size())
    return node.refuse("needs one size for each axis");
  emitter.requireSizes(*list, "Resize: a size is negative");
  for (auto [axis, size] : llvm::zip(axes, *list)) {
    OpFoldResult length = node.input(0)->sizes[axis.dim];
    axis.size = size;
    std::optional<int64_t> from = getConstantIntValue(length), to = getConstantIntValue(size);
    if (from && to && *from > 0)
      axis.fixedScale = static_cast<double>(*to) / static_cast<double>(*from);
    else if (emitter.sizes.equal(length, size))
      axis.fixedScale = 1;
    Value in = emitter.sizes.value(length), out = emitter.sizes.value(size);
    axis.scale = axis.fixedScale ? makeScalar(emitter, emitter.builder.getF64Type(), *axis.fixedScale)
                                 : computeScalar(emitter, resizing,
                                                 [&](Coordinates &c) { return c.s.div(c.toReal(out), c.toReal(in)); });
  }
  std::string policy = node.getString("keep_aspect_ratio_policy", "stretch");
  if (policy != "stretch" && policy != "not_larger" && policy != "not_smaller")
    return node.refuse("keep_aspect_ratio_policy '" + policy + "' is unknown");
  for (ResizedAxis &axis : axes)
    axis.hasScaleOfSizes = policy == "stretch";
  return policy == "stretch" ? success() : keepAspect(node, resizing, axes, policy == "not_larger");
}

//===--- The ops -------------------------------------------------------------------------------------------------===//

static LogicalResult readAttributes(NodeContext &node, Resizing &resizing) {
  std::string mode = node.getString("mode", "nearest");
  if (mode != "nearest" && mode != "linear" && mode != "bilinear" && mode != "cubic")
    return node.refuse("mode '" + mode + "' is unknown; known: nearest, linear, cubic");
  resizing.mode = mode == "nearest" ? ResizeMode::Nearest : mode == "cubic" ? ResizeMode::Cubic : ResizeMode::Linear;
  bool before11 = node.version() < 11;
  resizing.transform = before11 ? "asymmetric" : node.getString("coordinate_transformation_mode", "half_pixel");
  resizing.nearest = before11 ? "floor" : node.getString("nearest_mode", "round_prefer_floor");
  if (!llvm::is_contained({"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric",
                           "tf_half_pixel_for_nn", "tf_crop_and_resize"},
                          StringRef(resizing.transform)))
    return node.unsupported("coordinate_transformation_mode '" + resizing.transform + "' is not supported");
  if (!llvm::is_contained({"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}, StringRef(resizing.nearest)))
    return node.refuse("nearest_mode '" + resizing.nearest + "' is unknown");
  resizing.antialias = node.getInt("antialias", 0) != 0 && resizing.mode != ResizeMode::Nearest;
  resizing.excludeOutside = node.getInt("exclude_outside", 0) != 0;
  resizing.cubic = node.getFloat("cubic_coeff_a", -0.75);
  resizing.extrapolation = node.getFloat("extrapolation_value", 0);
  if (resizing.antialias && resizing.crops())
    return node.unsupported("antialias is not supported with tf_crop_and_resize");
  return success();
}

static LogicalResult readAxes(NodeContext &node, SmallVectorImpl<ResizedAxis> &axes) {
  int64_t rank = node.input(0)->rank();
  SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::optional<SmallVector<int64_t>> dims = node.normalizeAxes(node.getInts("axes").value_or(all), rank);
  if (!dims)
    return failure();
  for (int64_t dim : *dims)
    axes.push_back({dim, {}, {}, std::nullopt, {}, {}});
  return success();
}

static LogicalResult readRegion(NodeContext &node, const Resizing &resizing, SmallVectorImpl<ResizedAxis> &axes) {
  Tensor *region = node.input(1);
  auto count = static_cast<int64_t>(axes.size());
  if (!region || !region->isFloat() || region->rank() != 1 || region->staticSize(0) != 2 * count)
    return node.refuse("tf_crop_and_resize needs the input roi with two numbers for each axis");
  for (int64_t i = 0; i < count; ++i) {
    axes[i].begin = elementOf(node.emitter, resizing, *region, i);
    axes[i].end = elementOf(node.emitter, resizing, *region, i + count);
  }
  return success();
}

// `x` resized along `given`, which are not all axes.
static Tensor resizeAlong(Emitter &emitter, const Resizing &resizing, Tensor x, ArrayRef<ResizedAxis> given) {
  SmallVector<ResizedAxis, 4> axes(given);
  if (isRepetition(resizing, axes))
    return axes.empty() ? x : repeat(emitter, x, axes);
  // Of free sizes most axes may turn out to stay as they are.
  bool isFree = llvm::any_of(axes, [](const ResizedAxis &axis) { return !axis.fixedScale; });
  if (resizing.mode == ResizeMode::Nearest && !resizing.crops() && isFree && axes.size() > 1)
    return resizeToNearest(emitter, resizing, x, axes);
  Type type = x.elementType;
  auto along = resizing.antialias ? shrinkAxis : resizeAxis;
  for (ResizedAxis &axis : axes)
    x = along(emitter, resizing, x, axis, type, /*last=*/&axis == &axes.back());
  return x;
}

// The same, where only the call knows whether batch and channels are resized: seldom.
static Tensor resizeByCall(Emitter &emitter, const Resizing &resizing, Tensor x, ArrayRef<ResizedAxis> axes) {
  SmallVector<ResizedAxis, 4> image;
  SizeList stays, shape = x.sizes;
  for (const ResizedAxis &axis : axes) {
    shape[axis.dim] = axis.size;
    bool mayStay = axis.dim < 2 && axis.hasScaleOfSizes && !axis.fixedScale && !resizing.crops();
    if (mayStay)
      stays.push_back(emitter.sizes.isEqual(axis.size, x.sizes[axis.dim]));
    else
      image.push_back(axis);
  }
  if (stays.empty() || image.empty())
    return resizeAlong(emitter, resizing, x, axes);
  (void)emitter.value(x);
  return byCall(
      emitter, stays, shape, x.elementType, [&] { return resizeAlong(emitter, resizing, emitter.refine(x), image); },
      [&] { return resizeAlong(emitter, resizing, x, axes); });
}

static LogicalResult resize(NodeContext &node, const Resizing &resizing, MutableArrayRef<ResizedAxis> axes) {
  Emitter &emitter = node.emitter;
  Tensor &x = *node.input(0);
  SmallVector<ResizedAxis, 4> changed;
  for (ResizedAxis &axis : axes) {
    bool keeps = axis.fixedScale == 1.0 && emitter.sizes.equal(axis.size, x.sizes[axis.dim]) && !resizing.crops();
    if (!keeps)
      changed.push_back(axis);
    emitter.checkLessEqual(emitter.sizes.constant(1), x.sizes[axis.dim], "Resize: the operand is empty");
  }
  node.setOutput(0, resizeByCall(emitter, resizing, x, changed));
  return success();
}

static LogicalResult lowerResize(NodeContext &node) {
  Resizing resizing;
  SmallVector<ResizedAxis, 4> axes;
  if (failed(node.requireInputs(1)) || failed(readAttributes(node, resizing)) || failed(readAxes(node, axes)))
    return failure();
  if (resizing.crops() && failed(readRegion(node, resizing, axes)))
    return failure();
  Tensor *scales = node.input(2), *sizes = node.input(3);
  if (sizes && !sizes->isStaticSize(0, 0)) {
    if (failed(readSizes(node, resizing, 3, axes)))
      return failure();
  } else if (!scales || failed(readScales(node, resizing, *scales, axes))) {
    return node.refuse("needs the input scales or the input sizes");
  }
  return resize(node, resizing, axes);
}

// Upsample, and Resize before operator set 11: the second input has the scales.
static LogicalResult lowerUpsample(NodeContext &node) {
  Resizing resizing;
  SmallVector<ResizedAxis, 4> axes;
  if (failed(node.requireInputs(2)) || failed(readAttributes(node, resizing)) || failed(readAxes(node, axes)))
    return failure();
  resizing.transform = "asymmetric";
  resizing.nearest = "floor";
  if (failed(readScales(node, resizing, *node.input(1), axes)))
    return failure();
  return resize(node, resizing, axes);
}

void mlir::heddle::importer::registerResize(LoweringTable &table) {
  table.add("Upsample", 9, lowerUpsample);
  table.add("Resize", 10, lowerUpsample);
  table.add("Resize", 11, lowerResize);
}
