// Resize and Upsample: one axis after the other, each element a weighted sum of a few elements along the axis.
#include "compiler/Stages/Import/Onnx/Ops/Coordinates.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <cmath>

using namespace mlir;
using namespace mlir::heddle::importer;

namespace {

struct Axis {
  int64_t dim;
  OpFoldResult size;                // of the result
  Tensor scale;                     // result by operand, f64, one element; not rounded
  std::optional<double> fixedScale; // if it is constant
  Tensor begin, end;                // of the region to crop, f64, one element each
};

} // namespace

//===--- One axis ------------------------------------------------------------------------------------------------===//

static Value clampIndex(Scalar s, Value index, Value size) {
  Value zero = arith::ConstantIndexOp::create(s.b, s.loc, 0), one = arith::ConstantIndexOp::create(s.b, s.loc, 1);
  return s.max(s.min(index, s.sub(size, one)), zero);
}

// For each element along the axis, where it lies in the operand: [size] of f64.
static Tensor coordinatesOf(Emitter &emitter, const Resizing &resizing, Axis &axis, OpFoldResult length) {
  Value in = emitter.sizes.value(length), out = emitter.sizes.value(axis.size);
  SmallVector<Tensor *> operands{&axis.scale};
  if (resizing.crops())
    operands.append({&axis.begin, &axis.end});
  return emitter.generate({axis.size}, emitter.builder.getF64Type(), operands,
                          [&](OpBuilder &b, Location loc, ValueRange v) {
                            Coordinates c{{b, loc}, resizing};
                            bool crops = resizing.crops();
                            return c.of(v.back(), in, out, v[0], crops ? v[1] : Value(), crops ? v[2] : Value());
                          });
}

// [size] aligned with dimension `dim` of a tensor of rank `rank`.
static Tensor alignTo(Emitter &emitter, Tensor &vector, int64_t dim, int64_t rank) {
  SizeList shape(rank - dim, emitter.sizes.constant(1));
  shape.front() = vector.sizes.front();
  return emitter.reshape(vector, shape);
}

// One element of the operand that each element along the axis reads: its place, within the operand, and its weight
// (null for nearest neighbours). Both [size], so that they are computed once and not for each element of the result.
struct Tap {
  Tensor place;
  std::optional<Tensor> weight;
};

// The weight of the element `tap` places after the one before coordinate `at`, of those inside if the others are left
// out.
static Value weightOf(Coordinates &c, const Resizing &resizing, Value at, int64_t tap, Value length) {
  auto unscaled = [&](int64_t offset) {
    Value place = c.s.add(c.floor(at), c.number(static_cast<double>(offset)));
    Value weight = c.weight(c.s.sub(place, at)), index = c.toIndex(place);
    bool all = !resizing.excludeOutside;
    return all ? weight : c.s.select(c.s.equal(index, clampIndex(c.s, index, length)), weight, c.number(0));
  };
  if (!resizing.excludeOutside)
    return unscaled(tap);
  Value total = c.number(0);
  for (int64_t other = 1 - resizing.reach(); other <= resizing.reach(); ++other)
    total = c.s.add(total, unscaled(other));
  return c.s.div(unscaled(tap), total);
}

// `at`: [size], coordinates along the axis in an operand of `length` elements there. Weights are `real`.
static SmallVector<Tap, 4> tapsOf(Emitter &emitter, const Resizing &resizing, Tensor &at, Value length, Type real) {
  bool nearest = resizing.mode == ResizeMode::Nearest;
  Type i32 = emitter.builder.getI32Type();
  SmallVector<Tap, 4> taps;
  for (int64_t tap = nearest ? 0 : 1 - resizing.reach(); tap <= (nearest ? 0 : resizing.reach()); ++tap) {
    Tensor place = emitter.elementwise({&at}, at.sizes, i32, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
      Coordinates c{{b, loc}, resizing};
      Value exact = nearest ? c.nearestTo(v[0]) : c.s.add(c.floor(v[0]), c.number(static_cast<double>(tap)));
      return arith::IndexCastOp::create(b, loc, i32, clampIndex(c.s, c.toIndex(exact), length));
    });
    std::optional<Tensor> weight;
    if (!nearest)
      weight = emitter.elementwise({&at}, at.sizes, real, [&](OpBuilder &b, Location loc, ValueRange v) {
        Coordinates c{{b, loc}, resizing};
        return convert({b, loc}, weightOf(c, resizing, v[0], tap, length), c.f64(), real);
      });
    taps.push_back({std::move(place), std::move(weight)});
  }
  return taps;
}

// Each element from a few neighbours, weighted by their distance; or from the nearest one.
static Tensor resizeAxis(Emitter &emitter, const Resizing &resizing, Tensor &x, Axis &axis) {
  SizeList shape = x.sizes;
  shape[axis.dim] = axis.size;
  Tensor at = coordinatesOf(emitter, resizing, axis, x.sizes[axis.dim]);
  Value source = emitter.value(x), length = emitter.sizes.value(x.sizes[axis.dim]);
  Type type = x.elementType, real = type.isF64() ? type : Type(emitter.builder.getF32Type());
  SmallVector<Tensor> tables;
  auto table = [&](Tensor &vector) { tables.push_back(alignTo(emitter, vector, axis.dim, x.rank())); };
  for (Tap &tap : tapsOf(emitter, resizing, at, length, real)) {
    table(tap.place);
    if (tap.weight)
      table(*tap.weight);
  }
  if (resizing.crops())
    table(at);
  SmallVector<Tensor *> operands = llvm::map_to_vector(tables, [](Tensor &tensor) { return &tensor; });
  return emitter.generate(shape, type, operands, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    Scalar s{b, loc, type};
    Coordinates c{{b, loc}, resizing};
    auto element = [&](Value place) -> Value {
      SmallVector<Value> where(v.drop_front(tables.size()));
      where[axis.dim] = arith::IndexCastOp::create(b, loc, b.getIndexType(), place);
      return tensor::ExtractOp::create(b, loc, source, where);
    };
    Value result;
    if (resizing.mode == ResizeMode::Nearest) {
      result = element(v[0]);
    } else {
      Value sum;
      for (int64_t tap = 0; tap < 2 * resizing.reach(); ++tap) {
        Value part = s.mul(convert({b, loc}, element(v[2 * tap]), type, real), v[2 * tap + 1]);
        sum = sum ? s.add(sum, part) : part;
      }
      result = convert({b, loc}, sum, real, type);
    }
    if (!resizing.crops())
      return result;
    Value x = v[tables.size() - 1];
    Value inside = arith::AndIOp::create(b, loc, s.lessEqual(c.number(0), x),
                                         s.lessEqual(x, s.sub(c.toReal(length), c.number(1))));
    return s.select(inside, result, s.constant(storageType(type), resizing.extrapolation));
  });
}

// Sizes beyond it are not exact, and nobody's.
static constexpr double kLongest = 1e15;

//===--- Antialias -----------------------------------------------------------------------------------------------===//

// Where the first of the elements that one element is made of lies, relative to the one before its coordinate: their
// number is 2 - 2 * first.
static OpFoldResult firstTap(Emitter &emitter, const Resizing &resizing, Axis &axis) {
  auto reach = static_cast<double>(resizing.reach());
  if (axis.fixedScale) { // neither number where an axis is empty before or after
    double first = std::max(-kLongest, std::floor(-reach / std::min(*axis.fixedScale, 1.0)));
    return emitter.sizes.constant(static_cast<int64_t>(first) + 1);
  }
  Tensor first = emitter.generate({}, emitter.builder.getI64Type(), {&axis.scale},
                                  [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                                    Coordinates c{{b, loc}, resizing};
                                    Value scale = c.s.min(v[0], c.number(1));
                                    Value least = c.s.add(c.floor(c.s.div(c.number(-reach), scale)), c.number(1));
                                    return arith::FPToSIOp::create(b, loc, b.getI64Type(), least);
                                  });
  (void)emitter.readContents(first);
  return first.contents->front();
}

// Weights [size, taps] that add up to 1 along the taps.
static Tensor antialiasWeights(Emitter &emitter, const Resizing &resizing, Axis &axis, Tensor &at, OpFoldResult length,
                               OpFoldResult first, OpFoldResult taps) {
  Tensor column = alignTo(emitter, at, 0, 2);
  Value start = emitter.sizes.value(first), in = emitter.sizes.value(length);
  Type f64 = emitter.builder.getF64Type();
  Tensor raw =
      emitter.generate({axis.size, taps}, f64, {&column, &axis.scale}, [&](OpBuilder &b, Location loc, ValueRange v) {
        Coordinates c{{b, loc}, resizing};
        Scalar &s = c.s;
        Value place = s.add(c.floor(v[0]), c.toReal(s.add(v[3], start)));
        Value weight = c.weight(s.mul(s.sub(place, v[0]), s.min(v[1], c.number(1))));
        if (!resizing.excludeOutside)
          return weight;
        Value index = c.toIndex(place);
        return s.select(s.equal(index, clampIndex(s, index, in)), weight, c.number(0));
      });
  Tensor sum = emitter.reduce(
      {&raw}, {1}, f64, makeAttribute(f64, 0),
      [](OpBuilder &b, Location loc, ValueRange v, Value total) { return Scalar{b, loc}.add(total, v[0]); });
  Tensor total = emitter.keepDims(sum, {1});
  return emitter.elementwise({&raw, &total}, raw.sizes, f64,
                             [](OpBuilder &b, Location loc, ValueRange v) { return Scalar{b, loc}.div(v[0], v[1]); });
}

// Shrinking reads every element that a coordinate's neighbourhood covers, so that none is left out.
static Tensor shrinkAxis(Emitter &emitter, const Resizing &resizing, Tensor &x, Axis &axis) {
  Sizes &sizes = emitter.sizes;
  int64_t rank = x.rank(), dim = axis.dim;
  SizeList shape = x.sizes;
  shape[dim] = axis.size;
  Tensor at = coordinatesOf(emitter, resizing, axis, x.sizes[dim]);
  OpFoldResult first = firstTap(emitter, resizing, axis);
  OpFoldResult taps = sizes.max(sizes.constant(2), sizes.sub(sizes.constant(2), sizes.mul(sizes.constant(2), first)));
  Tensor weights = antialiasWeights(emitter, resizing, axis, at, x.sizes[dim], first, taps);
  Builder &builder = emitter.builder;
  AffineExpr o = builder.getAffineDimExpr(dim), tap = builder.getAffineDimExpr(rank);
  MLIRContext *context = builder.getContext();
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  iterators.push_back(utils::IteratorType::reduction);
  Value source = emitter.value(x), start = sizes.value(first), length = sizes.value(x.sizes[dim]);
  Type type = x.elementType;
  Value init = emitter.filled(type, shape, makeAttribute(type, 0)).value;
  return emitter.generic({emitter.value(weights), emitter.value(at)},
                         {AffineMap::get(rank + 1, 0, {o, tap}, context), AffineMap::get(rank + 1, 0, {o}, context),
                          AffineMap::getMultiDimIdentityMap(rank + 1, context).dropResult(rank)},
                         iterators, shape, type, init, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                           Coordinates c{{b, loc}, resizing};
                           SmallVector<Value> where;
                           for (int64_t d = 0; d < rank; ++d)
                             where.push_back(linalg::IndexOp::create(b, loc, d));
                           Value offset = c.s.add(linalg::IndexOp::create(b, loc, rank), start);
                           Value index = c.s.add(c.toIndex(c.floor(v[1])), offset);
                           where[dim] = clampIndex(c.s, index, length);
                           Value element = tensor::ExtractOp::create(b, loc, source, where);
                           Value weight = convert({b, loc}, v[0], c.f64(), type);
                           return c.s.add(v[2], c.s.mul(element, weight));
                         });
}

//===--- Whole factors -------------------------------------------------------------------------------------------===//

// Nearest neighbours at whole factors: element o is element o / factor.
static bool isRepetition(const Resizing &resizing, ArrayRef<Axis> axes) {
  bool halves = resizing.transform == "half_pixel" || resizing.transform == "pytorch_half_pixel";
  bool rounds = resizing.nearest == "round_prefer_floor" || resizing.nearest == "round_prefer_ceil";
  bool corners = resizing.transform == "asymmetric" || resizing.transform == "tf_half_pixel_for_nn";
  bool floors = corners && resizing.nearest == "floor";
  return resizing.mode == ResizeMode::Nearest && (floors || (halves && rounds)) &&
         llvm::all_of(axes, [](const Axis &axis) {
           return axis.fixedScale && *axis.fixedScale >= 1 && *axis.fixedScale <= kLongest &&
                  *axis.fixedScale == std::floor(*axis.fixedScale);
         });
}

static Tensor repeat(Emitter &emitter, Tensor &x, ArrayRef<Axis> axes) {
  SizeList shape = x.sizes;
  Builder &b = emitter.builder;
  SmallVector<AffineExpr> read;
  for (int64_t d = 0; d < x.rank(); ++d)
    read.push_back(b.getAffineDimExpr(d));
  for (const Axis &axis : axes) {
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
static LogicalResult scaleAxis(NodeContext &node, const Resizing &resizing, Axis &axis, Rounding rounding) {
  Emitter &emitter = node.emitter;
  Sizes &sizes = emitter.sizes;
  OpFoldResult length = node.input(0)->sizes[axis.dim];
  if (axis.fixedScale) {
    double scale = *axis.fixedScale;
    if (std::optional<int64_t> fixed = getConstantIntValue(length)) {
      double exact = scale * static_cast<double>(*fixed);
      double size =
          std::floor(rounding == Rounding::Down ? static_cast<double>(static_cast<float>(exact)) : exact + 0.5);
      if (!(size <= kLongest))
        return node.refuse("a scale of " + Twine(std::to_string(scale)) + " makes axis " + Twine(axis.dim) +
                           " of length " + Twine(*fixed) + " too long");
      axis.size = sizes.constant(static_cast<int64_t>(size));
      return success();
    }
    if (!(scale <= kLongest && scale >= 1 / kLongest))
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
                                SmallVectorImpl<Axis> &axes) {
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
static LogicalResult keepAspect(NodeContext &node, const Resizing &resizing, SmallVectorImpl<Axis> &axes, bool least) {
  Emitter &emitter = node.emitter;
  bool fixed = llvm::all_of(axes, [](const Axis &axis) { return axis.fixedScale.has_value(); });
  std::optional<double> scale;
  for (const Axis &axis : axes)
    if (fixed)
      scale = !scale  ? *axis.fixedScale
              : least ? std::min(*scale, *axis.fixedScale)
                      : std::max(*scale, *axis.fixedScale);
  SmallVector<Tensor *> scales = llvm::map_to_vector(axes, [](Axis &axis) { return &axis.scale; });
  Type f64 = emitter.builder.getF64Type();
  Tensor common = fixed ? makeScalar(emitter, f64, *scale)
                        : emitter.elementwise(scales, {}, f64, [&](OpBuilder &b, Location loc, ValueRange v) {
                            Scalar s{b, loc};
                            Value best = v[0];
                            for (Value next : v.drop_front())
                              best = least ? s.min(best, next) : s.max(best, next);
                            return best;
                          });
  for (Axis &axis : axes) {
    axis.scale = common;
    axis.fixedScale = scale;
    if (failed(scaleAxis(node, resizing, axis, Rounding::ToNearest)))
      return failure();
  }
  return success();
}

static LogicalResult readSizes(NodeContext &node, const Resizing &resizing, size_t input, SmallVectorImpl<Axis> &axes) {
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
  if (resizing.antialias && (resizing.crops() || !node.input(0)->isFloat()))
    return node.unsupported("antialias is supported for floats, and not with tf_crop_and_resize");
  return success();
}

static LogicalResult readAxes(NodeContext &node, SmallVectorImpl<Axis> &axes) {
  int64_t rank = node.input(0)->rank();
  SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::optional<SmallVector<int64_t>> dims = node.normalizeAxes(node.getInts("axes").value_or(all), rank);
  if (!dims)
    return failure();
  for (int64_t dim : *dims)
    axes.push_back({dim, {}, {}, std::nullopt, {}, {}});
  return success();
}

static LogicalResult readRegion(NodeContext &node, const Resizing &resizing, SmallVectorImpl<Axis> &axes) {
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

static LogicalResult resize(NodeContext &node, const Resizing &resizing, MutableArrayRef<Axis> axes) {
  Emitter &emitter = node.emitter;
  Tensor x = *node.input(0);
  SmallVector<Axis, 4> changed;
  for (Axis &axis : axes) {
    bool keeps = axis.fixedScale == 1.0 && emitter.sizes.equal(axis.size, x.sizes[axis.dim]) && !resizing.crops();
    if (!keeps)
      changed.push_back(axis);
    emitter.checkLessEqual(emitter.sizes.constant(1), x.sizes[axis.dim], "Resize: the operand is empty");
  }
  if (isRepetition(resizing, changed)) {
    node.setOutput(0, changed.empty() ? x : repeat(emitter, x, changed));
    return success();
  }
  for (Axis &axis : changed)
    x = resizing.antialias ? shrinkAxis(emitter, resizing, x, axis) : resizeAxis(emitter, resizing, x, axis);
  node.setOutput(0, x);
  return success();
}

static LogicalResult lowerResize(NodeContext &node) {
  Resizing resizing;
  SmallVector<Axis, 4> axes;
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
  SmallVector<Axis, 4> axes;
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
