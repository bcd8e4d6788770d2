// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Emit/Numerics/IncompleteGamma.h"

#include "compiler/Stages/Import/Emit/Numerics/SpecialFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>
#include <numbers>

using namespace mlir;
using namespace mlir::heddle;
using importer::Scalar;

namespace {

// From here on Temme's expansion, whose terms fall with a.
constexpr double kLargest = 1 << 20;
// More terms than series and fraction take below that.
constexpr double kMostTerms = 1 << 16;
constexpr double kResolution = 1e-17; // smaller terms do not count beside the sum

// Arithmetic in f64.
struct Double {
  Scalar &s;

  Value operator()(double value) { return s.constant(s.b.getF64Type(), value); }
  Value special(double value) { return arith::ConstantOp::create(s.b, s.loc, s.b.getF64FloatAttr(value)); }
  Value nan() { return special(std::numeric_limits<double>::quiet_NaN()); }
  Value infinity() { return special(std::numeric_limits<double>::infinity()); }
  Value log1p(Value x) { return math::Log1pOp::create(s.b, s.loc, x); }
  Value both(Value p, Value q) { return arith::AndIOp::create(s.b, s.loc, p, q); }
  Value either(Value p, Value q) { return arith::OrIOp::create(s.b, s.loc, p, q); }
};

} // namespace

// log(x^a exp(-x) / gamma(a + 1)). Of large a by Stirling's series around x = a, where the terms themselves cancel.
static Value logFactor(Double &c, Value a, Value x) {
  Scalar &s = c.s;
  Value plain = s.sub(s.sub(s.mul(a, s.log(x)), x), numerics::logGamma(s, s.add(a, c(1))));
  Value distance = s.div(s.sub(x, a), a);
  Value around = s.mul(a, s.sub(c.log1p(distance), distance));
  Value inverse = s.div(c(1), a), square = s.mul(inverse, inverse);
  Value rest = s.mul(inverse, s.sub(c(1.0 / 12), s.mul(square, s.sub(c(1.0 / 360), s.mul(square, c(1.0 / 1260))))));
  Value stirling = s.add(s.mul(c(0.5), s.log(s.mul(c(2 * std::numbers::pi), a))), rest);
  return s.select(s.less(c(64), a), s.sub(around, stirling), plain);
}

// The sum of x^n / ((a + 1) … (a + n)): the lower function divided by the factor. Where not `wanted`, of no terms.
static Value sumSeries(Double &c, Value a, Value x, Value wanted) {
  Scalar &s = c.s;
  Type type = s.b.getF64Type();
  Value one = c(1);
  auto loop = scf::WhileOp::create(
      s.b, s.loc, TypeRange{type, type, type}, ValueRange{one, one, c(0)},
      [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalar t{b, loc, type};
        Double d{t};
        Value more = t.less(t.mul(v[0], d(kResolution)), v[1]);
        more = d.both(wanted, d.both(more, t.less(v[2], d(kMostTerms))));
        scf::ConditionOp::create(b, loc, more, v);
      },
      [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalar t{b, loc, type};
        Double d{t};
        Value n = t.add(v[2], d(1));
        Value term = t.mul(v[1], t.div(x, t.add(a, n)));
        scf::YieldOp::create(b, loc, ValueRange{t.add(v[0], term), term, n});
      });
  return loop.getResult(0);
}

// Legendre's continued fraction of the upper function, divided by a times the factor, after Lentz.
static Value sumFraction(Double &c, Value a, Value x, Value wanted) {
  Scalar &s = c.s;
  Type type = s.b.getF64Type();
  Value first = s.add(s.sub(x, a), c(1)), d0 = s.div(c(1), first);
  auto loop = scf::WhileOp::create(
      s.b, s.loc, TypeRange{type, type, type, type, type}, ValueRange{d0, d0, c(1e300), c(0), c(0)},
      [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalar t{b, loc, type};
        Double d{t};
        Value more = t.less(d(4e-16), t.abs(t.sub(v[4], d(1))));
        more = d.both(wanted, d.both(more, t.less(v[3], d(kMostTerms))));
        scf::ConditionOp::create(b, loc, more, v);
      },
      [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalar t{b, loc, type};
        Double d{t};
        Value n = t.add(v[3], d(1));
        Value numerator = t.mul(n, t.sub(a, n)), denominator = t.add(first, t.mul(d(2), n));
        Value below = t.div(d(1), t.add(t.mul(numerator, v[1]), denominator));
        Value above = t.add(denominator, t.div(numerator, v[2]));
        Value change = t.mul(below, above);
        scf::YieldOp::create(b, loc, ValueRange{t.mul(v[0], change), below, above, n, change});
      });
  return loop.getResult(0);
}

// The upper function of large a: erfc, and the first of Temme's corrections.
static Value upperOfLarge(Double &c, Value a, Value x) {
  Scalar &s = c.s;
  Value mu = s.div(s.sub(x, a), a), half = s.max(s.sub(mu, c.log1p(mu)), c(0));
  Value size = s.sqrt(s.mul(c(2), half));
  Value eta = math::CopySignOp::create(s.b, s.loc, size, mu);
  Value near =
      s.add(c(-1.0 / 3), s.mul(eta, s.add(c(1.0 / 12), s.mul(eta, s.add(c(-2.0 / 135), s.mul(eta, c(1.0 / 864)))))));
  Value far = s.sub(s.div(c(1), mu), s.div(c(1), eta));
  Value correction = s.select(s.less(s.abs(mu), c(1e-2)), near, far);
  Value tail = math::ErfcOp::create(s.b, s.loc, s.mul(eta, s.sqrt(s.mul(a, c(0.5)))));
  Value weight = s.div(s.exp(s.neg(s.mul(a, half))), s.sqrt(s.mul(c(2 * std::numbers::pi), a)));
  return s.add(s.mul(c(0.5), tail), s.mul(weight, correction));
}

Value numerics::incompleteGamma(Scalar &given, Value givenA, Value givenX, bool upper) {
  Type wide = given.b.getF64Type(), type = givenA.getType();
  Scalar s{given.b, given.loc, wide};
  Double c{s};
  Value a = importer::convert(given, givenA, type, wide), x = importer::convert(given, givenX, type, wide);
  Value isLarge = s.less(c(kLargest), a), isLow = s.less(x, s.add(a, c(1)));
  Value isSmall = arith::XOrIOp::create(s.b, s.loc, isLarge, arith::ConstantIntOp::create(s.b, s.loc, 1, 1));
  Value isHigh = arith::XOrIOp::create(s.b, s.loc, isLow, arith::ConstantIntOp::create(s.b, s.loc, 1, 1));
  Value factor = s.exp(logFactor(c, a, x));
  Value lower = s.mul(factor, sumSeries(c, a, x, c.both(isSmall, isLow)));
  Value above = s.mul(s.mul(factor, a), sumFraction(c, a, x, c.both(isSmall, isHigh)));
  above = s.select(isLarge, upperOfLarge(c, a, x), above);
  Value hasLower = c.both(isSmall, isLow);
  Value result = upper ? s.select(hasLower, s.sub(c(1), lower), above) : s.select(hasLower, lower, s.sub(c(1), above));
  // The ends: nothing below 0, all of it below infinity; of a = 0 it is all at 0, of an infinite one all at infinity.
  Value none = c(upper ? 1 : 0), all = c(upper ? 0 : 1), zero = c(0), infinity = c.infinity();
  result = s.select(c.either(s.isNan(a), s.isNan(x)), c.nan(), result);
  result = s.select(s.equal(x, infinity), all, result);
  result = s.select(s.equal(a, infinity), s.select(s.equal(x, infinity), c.nan(), none), result);
  result = s.select(s.equal(x, zero), none, result);
  result = s.select(s.equal(a, zero), s.select(s.less(zero, x), all, c.nan()), result);
  Value isOutside = c.either(s.less(a, zero), s.less(x, zero));
  result = s.select(isOutside, c.nan(), result);
  return importer::convert(s, result, wide, type);
}
