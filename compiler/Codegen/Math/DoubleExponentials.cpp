// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exponentials, logarithms and what is made of them.
#include "compiler/Codegen/Math/DoubleFunctions.h"
#include "compiler/Codegen/Math/DoublePolynomials.h"

#include <cmath>
#include <limits>
#include <numbers>

using namespace mlir;
using namespace mlir::heddle::codegen;

// ln 2 in two parts; integers of at most 20 bits times the first are exact.
static constexpr double kLn2High = 0x1.62e42feep-1, kLn2Low = 0x1.a39ef35793c76p-33;
static constexpr double kLn2 = std::numbers::ln2;
static constexpr double kLeastNormal = 0x1p-1022;

//===--- Exponentials --------------------------------------------------------------------------------------------===//

namespace {

// e^x = 2^k (1 + tail).
struct PowerOfE {
  Value tail, k;
};

} // namespace

// e^r - 1 for |r| <= ln 2 / 2.
static Value expTail(DoubleBuilder &d, Value r) {
  Value inner = d.fma(r, d.polynomial(r, kExpTail), d.real(0.5));
  return d.fma(d.mul(r, r), inner, r);
}

// Of x in [-1000, 1000]; `low` is added to x.
static PowerOfE splitExp(DoubleBuilder &d, Value x, Value low = {}) {
  DoubleBuilder::Rounded k = d.round(d.mul(x, d.real(1 / kLn2)));
  Value r = d.fma(k.real, d.real(-kLn2High), x);
  r = d.fma(k.real, d.real(-kLn2Low), r);
  return {expTail(d, low ? d.add(r, low) : r), k.integer};
}

static Value clamp(DoubleBuilder &d, Value x, double low, double high) {
  return d.min(d.max(x, d.real(low)), d.real(high));
}

static Value keepNan(DoubleBuilder &d, Value x, Value result) { return d.select(d.isNan(x), x, result); }

Value doubles::exp(DoubleBuilder &d, Value x) {
  PowerOfE e = splitExp(d, clamp(d, x, -800, 800));
  return keepNan(d, x, d.scale(d.add(d.real(1), e.tail), e.k));
}

Value doubles::exp2(DoubleBuilder &d, Value x) {
  Value inside = clamp(d, x, -1200, 1200);
  DoubleBuilder::Rounded k = d.round(inside);
  Value tail = expTail(d, d.mul(d.sub(inside, k.real), d.real(kLn2)));
  return keepNan(d, x, d.scale(d.add(d.real(1), tail), k.integer));
}

// 2^k tail + (2^k - 1), by way of half of it, which does not overflow before the result does.
Value doubles::expM1(DoubleBuilder &d, Value x) {
  PowerOfE e = splitExp(d, clamp(d, x, -100, 709.9));
  Value half = d.fromBits(d.shiftLeft(d.addBits(e.k, d.bits(1022)), 52));
  Value sum = d.fma(half, e.tail, d.sub(half, d.real(0.5)));
  Value result = d.select(d.less(d.real(709.8), x), d.real(doubles::kInfinity), d.add(sum, sum));
  return d.select(d.equal(x, d.real(0)), x, keepNan(d, x, result));
}

//===--- Logarithms ----------------------------------------------------------------------------------------------===//

namespace {

// x = m 2^e with m from sqrt(1/2) to sqrt(2).
struct Mantissa {
  Value m, e;
};

} // namespace

// Of a positive finite x, which may be subnormal.
static Mantissa splitMantissa(DoubleBuilder &d, Value x) {
  Value isSubnormal = d.less(x, d.real(kLeastNormal));
  Value word = d.toBits(d.select(isSubnormal, d.mul(x, d.real(0x1p54)), x));
  Value above = d.subBits(word, d.bits(0x3fe6a09e667f3bcd)); // sqrt(1/2)
  Value e = d.toReal(d.shiftRightSigned(above, 52));
  Value m = d.fromBits(d.subBits(word, d.both(above, d.bits(0xfff0000000000000))));
  return {m, d.select(isSubnormal, d.sub(e, d.real(54)), e)};
}

// log(m) + e ln 2 + correction: f - (f^2/2 - s (f^2/2 + R)) with s = f / (2 + f).
static Value logOf(DoubleBuilder &d, Mantissa x, Value correction = {}) {
  Value f = d.sub(x.m, d.real(1)), s = d.div(f, d.add(f, d.real(2))), z = d.mul(s, s);
  Value half = d.mul(d.mul(f, f), d.real(0.5));
  Value rest = d.mul(z, d.polynomial(z, kLogTail));
  Value small = d.mul(x.e, d.real(kLn2Low));
  if (correction)
    small = d.add(small, correction);
  Value tail = d.sub(half, d.fma(s, d.add(half, rest), small));
  return d.sub(d.mul(x.e, d.real(kLn2High)), d.sub(tail, f));
}

// A logarithm of x where it is no positive finite number.
static Value finishLog(DoubleBuilder &d, Value x, Value result) {
  Value nan = d.real(std::numeric_limits<double>::quiet_NaN());
  result = d.select(d.less(x, d.real(doubles::kInfinity)), result, x); // infinity and NaN
  result = d.select(d.equal(x, d.real(0)), d.real(-doubles::kInfinity), result);
  return d.select(d.less(x, d.real(0)), nan, result);
}

Value doubles::log(DoubleBuilder &d, Value x) { return finishLog(d, x, logOf(d, splitMantissa(d, x))); }

Value doubles::log2(DoubleBuilder &d, Value x) {
  Mantissa parts = splitMantissa(d, x);
  Value natural = logOf(d, {parts.m, d.real(0)});
  return finishLog(d, x, d.fma(natural, d.real(std::numbers::log2e), parts.e));
}

Value doubles::log10(DoubleBuilder &d, Value x) { return d.mul(doubles::log(d, x), d.real(std::numbers::log10e)); }

// log(1 + v), or log(a) + ln 2 where `isLarge` holds. 1 + v is rounded: what that loses is divided by it and added.
static Value log1pOr(DoubleBuilder &d, Value v, Value isLarge = {}, Value a = {}) {
  Value u = d.add(d.real(1), v), lost = d.div(d.sub(v, d.sub(u, d.real(1))), u), extra;
  if (isLarge) {
    u = d.select(isLarge, a, u);
    lost = d.select(isLarge, d.real(0), lost);
    extra = d.select(isLarge, d.real(kLn2), d.real(0));
  }
  Value result = logOf(d, splitMantissa(d, u), lost);
  if (isLarge)
    result = d.add(result, extra);
  return finishLog(d, u, result);
}

Value doubles::log1p(DoubleBuilder &d, Value x) {
  return d.select(d.less(d.abs(x), d.real(0x1p-54)), x, log1pOr(d, x));
}

//===--- Power ---------------------------------------------------------------------------------------------------===//

// log(x) of a positive finite x with about 65 bits: with s = (m - 1) / (m + 1), 2 s (1 + s^2 / 3 + …).
static Pair fineLog(DoubleBuilder &d, Value x) {
  static constexpr double kThirdHigh = 0x1.5555555555555p-2, kThirdLow = 0x1.5555555555555p-56;
  Mantissa parts = splitMantissa(d, x);
  Value f = d.sub(parts.m, d.real(1));
  Pair denominator = d.sum(parts.m, d.real(1));
  Value s = d.div(f, denominator.high);
  Pair back = d.product(s, denominator.high);
  Value missing = d.sub(d.sub(d.sub(f, back.high), back.low), d.mul(s, denominator.low));
  Value sLow = d.div(missing, denominator.high);
  Pair z = d.product(s, s);
  z.low = d.fma(d.add(s, s), sLow, z.low);
  // The series after the 1: z (1/3 + z Q(z)).
  Pair series = d.quickSum(d.real(kThirdHigh), d.mul(z.high, d.polynomial(z.high, kLogFine)));
  series.low = d.add(series.low, d.real(kThirdLow));
  Pair p = d.product(z.high, series.high);
  p.low = d.add(p.low, d.fma(z.high, series.low, d.mul(z.low, series.high)));
  Pair u = d.product(s, p.high);
  u.low = d.add(u.low, d.fma(s, p.low, d.mul(sLow, p.high)));
  Pair m = d.quickSum(s, u.high);
  m.low = d.add(m.low, d.add(sLow, u.low));
  Pair total = d.sum(d.mul(parts.e, d.real(kLn2High)), d.add(m.high, m.high));
  Value low = d.add(d.add(total.low, d.add(m.low, m.low)), d.mul(parts.e, d.real(kLn2Low)));
  return d.quickSum(total.high, low);
}

// The integer nearest to x, 0 <= x < 2^52.
static Value nearestInteger(DoubleBuilder &d, Value x) {
  return d.quickSum(d.quickSum(d.real(0x1p52), x).high, d.real(-0x1p52)).high;
}

// |x|^y for finite x != 0 and y that is a number.
static Value powerOfMagnitude(DoubleBuilder &d, Value magnitude, Value y) {
  Pair l = fineLog(d, magnitude);
  Value bounded = clamp(d, y, -0x1p66, 0x1p66); // |log| is at least 2^-53: from there on the result is 0, 1 or infinite
  Pair product = d.product(bounded, l.high);
  Value low = d.fma(bounded, l.low, product.low);
  Value isOutside = d.less(d.real(800), d.abs(product.high));
  Value high = clamp(d, product.high, -800, 800);
  PowerOfE e = splitExp(d, high, d.select(isOutside, d.real(0), low));
  return d.scale(d.add(d.real(1), e.tail), e.k);
}

Value doubles::pow(DoubleBuilder &d, Value x, Value y) {
  Value zero = d.real(0), one = d.real(1), infinity = d.real(doubles::kInfinity);
  Value magnitude = d.abs(x), large = d.abs(y);
  Value isZero = d.equal(magnitude, zero), isInfinite = d.equal(magnitude, infinity);
  Value isSpecial = d.either(isZero, isInfinite);
  Value result = powerOfMagnitude(d, d.select(isSpecial, one, magnitude), y);
  // 0 and infinity, to a positive and a negative power.
  Value isNegativePower = d.less(y, zero);
  Value grows = arith::CmpIOp::create(d.b, d.loc, arith::CmpIPredicate::ne, isInfinite, isNegativePower);
  result = d.select(isSpecial, d.select(grows, infinity, zero), result);
  // The sign, and NaN where x is negative and y has a fraction. From 2^52 on all are integers, from 2^53 on even.
  Value small = d.select(d.less(large, d.real(0x1p52)), large, zero);
  Value whole = nearestInteger(d, small), half = d.mul(small, d.real(0.5));
  Value isWhole = d.equal(whole, small), isHalfWhole = d.equal(nearestInteger(d, half), half);
  Value isOddLarge = d.both(d.both(d.lessEqual(d.real(0x1p52), large), d.less(large, d.real(0x1p53))),
                            d.isNot(d.isZero(d.both(d.toBits(large), d.bits(1)))));
  Value isOdd = d.either(isOddLarge, d.both(isWhole, d.isNot(isHalfWhole)));
  Value isNegative = d.less(d.copySign(one, x), zero);
  result = d.select(d.both(isNegative, isOdd), d.neg(result), result);
  Value isUndefined = d.both(d.less(x, zero), d.both(d.less(magnitude, infinity), d.isNot(isWhole)));
  Value nan = d.real(std::numeric_limits<double>::quiet_NaN());
  result = d.select(isUndefined, nan, result);
  // -1 to an infinite power; NaN; 1 to any power and any to the power 0.
  result = d.select(d.both(d.equal(magnitude, one), d.equal(large, infinity)), one, result);
  result = d.select(d.compare(arith::CmpFPredicate::UNO, x, y), nan, result);
  return d.select(d.either(d.equal(x, one), d.equal(y, zero)), one, result);
}

//===--- Cube root -----------------------------------------------------------------------------------------------===//

// With x = m 8^k: from a cubic polynomial, 0.5 % off, two steps of Halley's; what the second one adds is small, so that
// its roundings are.
Value doubles::cbrt(DoubleBuilder &d, Value x) {
  Value a = d.abs(x), zero = d.real(0), two = d.real(2);
  Value isSpecial = d.either(d.equal(a, zero), d.isNot(d.less(a, d.real(doubles::kInfinity))));
  Mantissa parts = splitMantissa(d, d.select(isSpecial, d.real(1), a));
  DoubleBuilder::Rounded k = d.round(d.mul(parts.e, d.real(1.0 / 3)));
  Value rest = d.fma(k.real, d.real(-3), parts.e); // -1, 0 or 1
  Value m = d.select(d.less(rest, zero), d.mul(parts.m, d.real(0.5)), parts.m);
  m = d.select(d.less(zero, rest), d.add(m, m), m);
  Value y = d.polynomial(m, {0.48214067, 0.72878483, -0.24484484, 0.03698896});
  for (int step = 0; step < 2; ++step) {
    Value cube = d.mul(d.mul(y, y), y);
    y = d.sub(y, d.mul(y, d.div(d.sub(cube, m), d.fma(two, cube, m))));
  }
  return d.select(isSpecial, x, d.copySign(d.scale(y, k.integer), x));
}

//===--- Hyperbolic functions ------------------------------------------------------------------------------------===//

// e^a / 2 for a >= 40, overflowing where the result does.
static Value halfExp(DoubleBuilder &d, Value a) {
  Value root = doubles::exp(d, d.mul(a, d.real(0.5)));
  return d.mul(d.mul(root, d.real(0.5)), root);
}

Value doubles::sinh(DoubleBuilder &d, Value x) {
  Value a = d.abs(x), t = doubles::expM1(d, d.min(a, d.real(40)));
  Value small = d.mul(d.real(0.5), d.add(t, d.div(t, d.add(t, d.real(1)))));
  return keepNan(d, x, d.copySign(d.select(d.less(a, d.real(40)), small, halfExp(d, a)), x));
}

Value doubles::cosh(DoubleBuilder &d, Value x) {
  Value a = d.abs(x), e = doubles::exp(d, d.min(a, d.real(40)));
  Value small = d.add(d.mul(e, d.real(0.5)), d.div(d.real(0.5), e));
  return keepNan(d, x, d.select(d.less(a, d.real(40)), small, halfExp(d, a)));
}

Value doubles::tanh(DoubleBuilder &d, Value x) {
  Value a = d.min(d.abs(x), d.real(22)), t = doubles::expM1(d, d.add(a, a));
  return keepNan(d, x, d.copySign(d.div(t, d.add(t, d.real(2))), x));
}

Value doubles::asinh(DoubleBuilder &d, Value x) {
  Value a = d.abs(x), one = d.real(1), isLarge = d.less(d.real(0x1p28), a);
  Value inside = d.select(isLarge, one, a), square = d.mul(inside, inside);
  Value v = d.add(inside, d.div(square, d.add(one, d.sqrt(d.add(one, square)))));
  Value result = d.select(d.less(a, d.real(0x1p-28)), a, log1pOr(d, v, isLarge, a));
  return keepNan(d, x, d.copySign(result, x));
}

Value doubles::acosh(DoubleBuilder &d, Value x) {
  Value one = d.real(1), isLarge = d.less(d.real(0x1p28), x);
  Value inside = d.select(isLarge, one, x), t = d.sub(inside, one);
  Value result = log1pOr(d, d.add(t, d.sqrt(d.mul(t, d.add(inside, one)))), isLarge, x);
  return d.select(d.less(x, one), d.real(std::numeric_limits<double>::quiet_NaN()), result);
}

Value doubles::atanh(DoubleBuilder &d, Value x) {
  Value a = d.abs(x), result = log1pOr(d, d.div(d.add(a, a), d.sub(d.real(1), a)));
  result = d.select(d.less(a, d.real(0x1p-28)), a, d.mul(result, d.real(0.5)));
  return keepNan(d, x, d.copySign(result, x));
}

//===--- Error function ------------------------------------------------------------------------------------------===//

// Of |x| <= 1.
static Value erfNear(DoubleBuilder &d, Value x) { return d.fma(x, d.polynomial(d.mul(x, x), kErfNear), x); }

// 1 - e^(-x^2) times a polynomial, or near 0 a polynomial.
Value doubles::erf(DoubleBuilder &d, Value x) {
  Value a = d.abs(x), near = d.min(a, d.real(1)), far = d.min(a, d.real(6));
  Value nearby = erfNear(d, near);
  Value t = d.div(d.real(2), d.add(d.real(2), d.max(far, d.real(1))));
  PowerOfE power = splitExp(d, d.neg(d.mul(far, far)));
  Value e = d.scale(d.add(d.real(1), power.tail), power.k);
  Value away = d.sub(d.real(1), d.mul(e, d.polynomial(t, kErfFar)));
  Value result = d.select(d.lessEqual(a, d.real(1)), nearby, away);
  return keepNan(d, x, d.copySign(result, x));
}

// e^(-x^2) times a polynomial, square and argument with more digits than a number has; 1 - erf where that is no small
// one.
Value doubles::erfc(DoubleBuilder &d, Value x) {
  Value a = d.abs(x), one = d.real(1), two = d.real(2), isNear = d.lessEqual(a, d.real(0.5));
  Value nearby = d.sub(one, erfNear(d, d.select(isNear, x, one)));
  Value far = d.min(d.max(a, d.real(0.5)), d.real(28));
  Pair bottom = d.sum(two, far);
  Value t = d.div(two, bottom.high);
  Pair back = d.product(t, bottom.high);
  Value missing = d.sub(d.sub(d.sub(two, back.high), back.low), d.mul(t, bottom.low));
  Value low = d.mul(d.mul(missing, t), d.real(0.5)); // t + low = 2 / (2 + far)
  Value value = d.polynomial(d.add(d.sub(t, d.real(0.4375)), low), kErfcFar);
  Value factor = d.fma(t, value, d.mul(low, value));
  Pair square = d.product(far, far);
  PowerOfE power = splitExp(d, d.neg(square.high), d.neg(square.low));
  Value away = d.scale(d.fma(factor, power.tail, factor), power.k);
  away = d.select(d.less(x, d.real(0)), d.sub(two, away), away);
  return keepNan(d, x, d.select(isNear, nearby, away));
}
