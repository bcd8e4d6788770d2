// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Onnx/Ops/Vision/Coordinates.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::heddle::importer;

Value Coordinates::number(double value) { return s.constant(f64(), value); }

Value Coordinates::toReal(Value index) { return Scalar{s.b, s.loc, f64()}.real(index); }

Value Coordinates::toIndex(Value real) {
  Value integer = arith::FPToSIOp::create(s.b, s.loc, s.b.getI64Type(), real);
  return arith::IndexCastOp::create(s.b, s.loc, s.b.getIndexType(), integer);
}

Value Coordinates::floor(Value x) { return math::FloorOp::create(s.b, s.loc, x); }
Value Coordinates::ceil(Value x) { return math::CeilOp::create(s.b, s.loc, x); }

Value Coordinates::divided(Value o, Value scale, double before, double after) {
  Scalar f{s.b, s.loc, s.b.getF32Type()};
  Value by = arith::TruncFOp::create(s.b, s.loc, f.type, scale);
  Value place = f.sub(f.div(f.add(f.real(o), f.constant(f.type, before)), by), f.constant(f.type, after));
  return arith::ExtFOp::create(s.b, s.loc, f64(), place);
}

Value Coordinates::of(Value o, Value in, Value out, Value scale, Value begin, Value end) {
  StringRef how = resizing.transform;
  Value x = toReal(o), length = toReal(in), one = number(1);
  if (how == "asymmetric")
    return divided(o, scale, 0, 0);
  if (how == "tf_half_pixel_for_nn")
    return divided(o, scale, 0.5, 0);
  Value center = divided(o, scale, 0.5, 0.5);
  if (how == "half_pixel")
    return center;
  if (how == "pytorch_half_pixel") {
    Value single = s.equal(out, arith::ConstantIndexOp::create(s.b, s.loc, 1));
    return s.select(single, number(0), center);
  }
  Value exact = s.mul(scale, length), last = s.sub(length, one);
  if (how == "half_pixel_symmetric") {
    Value shift = s.mul(s.div(length, number(2)), s.sub(one, s.div(toReal(out), exact)));
    return s.add(shift, center);
  }
  Value single = s.equal(exact, one), steps = s.select(single, one, s.sub(exact, one));
  if (how == "align_corners")
    return s.select(single, number(0), s.div(s.mul(x, last), steps));
  Value extent = s.mul(s.sub(end, begin), last);
  Value moved = s.select(single, s.div(extent, number(2)), s.div(s.mul(x, extent), steps));
  return s.add(moved, s.mul(begin, last));
}

Value Coordinates::nearestTo(Value x) {
  if (resizing.nearest == "floor")
    return floor(x);
  if (resizing.nearest == "ceil")
    return ceil(x);
  constexpr double kTie = 1e-6; // nearer to the middle of two elements is in the middle
  Value beyond = number(0.5 + kTie);
  return resizing.nearest == "round_prefer_ceil" ? floor(s.add(x, beyond)) : ceil(s.sub(x, beyond));
}

Value Coordinates::weight(Value x) {
  Type type = x.getType();
  auto c = [&](double value) { return s.constant(type, value); };
  x = s.abs(x);
  if (resizing.mode == ResizeMode::Linear)
    return s.max(s.sub(c(1), x), c(0));
  double a = resizing.cubic;
  // (a+2)|x|^3 - (a+3)|x|^2 + 1 up to 1, a|x|^3 - 5a|x|^2 + 8a|x| - 4a up to 2.
  Value near = s.add(s.mul(s.mul(s.sub(s.mul(c(a + 2), x), c(a + 3)), x), x), c(1));
  Value far = s.sub(s.mul(s.add(s.mul(s.sub(s.mul(c(a), x), c(5 * a)), x), c(8 * a)), x), c(4 * a));
  return s.select(s.lessEqual(x, c(1)), near, s.select(s.less(x, c(2)), far, c(0)));
}
