// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Onnx/Ops/Vision/ResizeAxes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <cmath>

using namespace mlir;
using namespace mlir::heddle::importer;

Type mlir::heddle::importer::interpolationType(Type type) {
  if (isa<FloatType>(type))
    return type;
  MLIRContext *context = type.getContext();
  return type.getIntOrFloatBitWidth() > 16 ? Type(Float64Type::get(context)) : Type(Float32Type::get(context));
}

// An interpolated value as an element of the result.
static Value toElement(Scalar s, Value real, Type from, Type type) {
  bool rounds = isa<IntegerType>(type) && !type.isInteger(1);
  return convert(s, rounds ? Value(math::RoundEvenOp::create(s.b, s.loc, real)) : real, from, type);
}

//===--- One axis ------------------------------------------------------------------------------------------------===//

static Value clampIndex(Scalar s, Value index, Value size) {
  Value zero = arith::ConstantIndexOp::create(s.b, s.loc, 0), one = arith::ConstantIndexOp::create(s.b, s.loc, 1);
  return s.max(s.min(index, s.sub(size, one)), zero);
}

// For each element along the axis, where it lies in the operand: [size] of f64.
static Tensor coordinatesOf(Emitter &emitter, const Resizing &resizing, ResizedAxis &axis, OpFoldResult length) {
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
struct AxisTap {
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
static SmallVector<AxisTap, 4> tapsOf(Emitter &emitter, const Resizing &resizing, Tensor &at, Value length, Type real) {
  bool nearest = resizing.mode == ResizeMode::Nearest;
  Type i32 = emitter.builder.getI32Type();
  SmallVector<AxisTap, 4> taps;
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
Tensor mlir::heddle::importer::resizeAxis(Emitter &emitter, const Resizing &resizing, Tensor &x, ResizedAxis &axis,
                                          Type type, bool last) {
  SizeList shape = x.sizes;
  shape[axis.dim] = axis.size;
  Tensor at = coordinatesOf(emitter, resizing, axis, x.sizes[axis.dim]);
  Value source = emitter.value(x), length = emitter.sizes.value(x.sizes[axis.dim]);
  bool nearest = resizing.mode == ResizeMode::Nearest;
  Type from = x.elementType, real = interpolationType(type), to = last || nearest ? type : real;
  SmallVector<Tensor> tables;
  auto table = [&](Tensor &vector) { tables.push_back(alignTo(emitter, vector, axis.dim, x.rank())); };
  for (AxisTap &tap : tapsOf(emitter, resizing, at, length, real)) {
    table(tap.place);
    if (tap.weight)
      table(*tap.weight);
  }
  if (resizing.crops())
    table(at);
  SmallVector<Tensor *> operands = llvm::map_to_vector(tables, [](Tensor &tensor) { return &tensor; });
  return emitter.generate(shape, to, operands, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    Scalar s{b, loc, real};
    Coordinates c{{b, loc}, resizing};
    auto element = [&](Value place) -> Value {
      SmallVector<Value> where(v.drop_front(tables.size()));
      where[axis.dim] = arith::IndexCastOp::create(b, loc, b.getIndexType(), place);
      return tensor::ExtractOp::create(b, loc, source, where);
    };
    Value result;
    if (nearest) {
      result = element(v[0]);
    } else {
      Value sum;
      for (int64_t tap = 0; tap < 2 * resizing.reach(); ++tap) {
        Value part = s.mul(convert({b, loc}, element(v[2 * tap]), from, real), v[2 * tap + 1]);
        sum = sum ? s.add(sum, part) : part;
      }
      result = toElement({b, loc}, sum, real, to);
    }
    if (!resizing.crops())
      return result;
    Value x = v[tables.size() - 1];
    Value inside = arith::AndIOp::create(b, loc, s.lessEqual(c.number(0), x),
                                         s.lessEqual(x, s.sub(c.toReal(length), c.number(1))));
    return s.select(inside, result, s.constant(storageType(to), resizing.extrapolation));
  });
}

Tensor mlir::heddle::importer::resizeToNearest(Emitter &emitter, const Resizing &resizing, Tensor &x,
                                               MutableArrayRef<ResizedAxis> axes) {
  SizeList shape = x.sizes;
  SmallVector<Tensor> places;
  for (ResizedAxis &axis : axes) {
    Tensor at = coordinatesOf(emitter, resizing, axis, x.sizes[axis.dim]);
    Value length = emitter.sizes.value(x.sizes[axis.dim]);
    AxisTap tap = tapsOf(emitter, resizing, at, length, interpolationType(x.elementType)).front();
    places.push_back(alignTo(emitter, tap.place, axis.dim, x.rank()));
    shape[axis.dim] = axis.size;
  }
  Value source = emitter.value(x);
  SmallVector<Tensor *> operands = llvm::map_to_vector(places, [](Tensor &tensor) { return &tensor; });
  return emitter.generate(shape, x.elementType, operands, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    SmallVector<Value> where(v.drop_front(places.size()));
    for (auto [axis, place] : llvm::zip(axes, v))
      where[axis.dim] = arith::IndexCastOp::create(b, loc, b.getIndexType(), place);
    return tensor::ExtractOp::create(b, loc, source, where);
  });
}

//===--- Antialias -----------------------------------------------------------------------------------------------===//

// Where the first of the elements that one element is made of lies, relative to the one before its coordinate: their
// number is 2 - 2 * first.
static OpFoldResult firstTap(Emitter &emitter, const Resizing &resizing, ResizedAxis &axis) {
  auto reach = static_cast<double>(resizing.reach());
  if (axis.fixedScale) { // neither number where an axis is empty before or after
    double first = std::max(-kLongestAxis, std::floor(-reach / std::min(*axis.fixedScale, 1.0)));
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
static Tensor antialiasWeights(Emitter &emitter, const Resizing &resizing, ResizedAxis &axis, Tensor &at,
                               OpFoldResult length, OpFoldResult first, OpFoldResult taps) {
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

Tensor mlir::heddle::importer::shrinkAxis(Emitter &emitter, const Resizing &resizing, Tensor &x, ResizedAxis &axis,
                                          Type type, bool last) {
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
  Type from = x.elementType, real = interpolationType(type);
  Value init = emitter.filled(real, shape, makeAttribute(real, 0)).value;
  Tensor sum =
      emitter.generic({emitter.value(weights), emitter.value(at)},
                      {AffineMap::get(rank + 1, 0, {o, tap}, context), AffineMap::get(rank + 1, 0, {o}, context),
                       AffineMap::getMultiDimIdentityMap(rank + 1, context).dropResult(rank)},
                      iterators, shape, real, init, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                        Coordinates c{{b, loc}, resizing};
                        SmallVector<Value> where;
                        for (int64_t d = 0; d < rank; ++d)
                          where.push_back(linalg::IndexOp::create(b, loc, d));
                        Value offset = c.s.add(linalg::IndexOp::create(b, loc, rank), start);
                        Value index = c.s.add(c.toIndex(c.floor(v[1])), offset);
                        where[dim] = clampIndex(c.s, index, length);
                        Value element = tensor::ExtractOp::create(b, loc, source, where);
                        Value weight = convert({b, loc}, v[0], c.f64(), real);
                        return c.s.add(v[2], c.s.mul(convert(c.s, element, from, real), weight));
                      });
  if (!last || real == type)
    return sum;
  return emitter.elementwise({&sum}, shape, type, [&](OpBuilder &b, Location loc, ValueRange v) {
    return toElement({b, loc}, v[0], real, type);
  });
}
