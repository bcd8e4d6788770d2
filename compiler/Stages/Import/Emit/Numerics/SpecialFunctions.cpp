// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Emit/Numerics/SpecialFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace mlir::heddle;
using importer::Scalar;

// zeta(k) - 1 for k = 2, 3, …: the Taylor coefficients of digamma around 2.
static constexpr double kZetaRest[] = {
    0.64493406684822644,    0.20205690315959429,    0.082323233711138192,  0.036927755143369926,
    0.01734306198444914,    0.0083492773819228268,  0.0040773561979443394, 0.0020083928260822144,
    0.00099457512781808534, 0.00049418860411946456, 0.0002460865533080483, 0.00012271334757848915,
    6.1248135058704829e-5,  3.0588236307020494e-5,  1.5282259408651872e-5, 7.6371976378997623e-6,
    3.8172932649998399e-6,  1.9082127165539389e-6,  9.5396203387279611e-7, 4.7693298678780646e-7,
    2.3845050272773299e-7,  1.1921992596531107e-7,  5.960818905125948e-8,  2.980350351465228e-8,
    1.4901554828365041e-8,  7.4507117898354295e-9,  3.7253340247884571e-9, 1.862659723513049e-9,
    9.3132743241966818e-10};

// Bernoulli's numbers B(2k), k = 1, 2, …, over (2k)!.
static constexpr double kBernoulli[] = {0.083333333333333333,    -0.0013888888888888889,  3.3068783068783069e-5,
                                        -8.2671957671957672e-7,  2.0876756987868099e-8,   -5.2841901386874932e-10,
                                        1.3382536530684679e-11,  -3.3896802963225829e-13, 8.5860620562778446e-15,
                                        -2.1748686985580619e-16, 5.5090028283602295e-18,  -1.3954464685812523e-19};

// Chebyshev coefficients on [-1, 1], the first one doubled, of I1(x) exp(-x) / x in x / 4 - 1, and of
// I1(x) exp(-x) sqrt(x) in 16 / x - 1.
static constexpr double kBesselNear[] = {
    0.25258718644363365,    -0.17641651835783406,    0.1026436586898471,     -0.052945981208094991,
    0.024726449030626517,   -0.010564084894626198,   0.0041564229443128882,  -0.0015135724506312531,
    0.00051228595616857577, -0.00016176081582589675, 4.7815651075500542e-5,  -1.3273163656039436e-5,
    3.4702513081376785e-6,  -8.5687202646954547e-7,  2.0032947535521353e-7,  -4.4450591287963281e-8,
    9.3815373864957718e-9,  -1.8872497517228293e-9,  3.625590281552117e-10,  -6.6634897235020277e-11,
    1.1736186298890902e-11, -1.9839743977649437e-12, 3.2237933659455747e-13, -5.0421855047279117e-14,
    7.6006842947354069e-15, -1.1055969477353863e-15, 1.5536319577362005e-16, -2.1114212143581661e-17};
static constexpr double kBesselFar[] = {
    0.77857623501828012,     -0.0097610974913614684,  -0.00011058893876262372, -3.8825648088776904e-6,
    -2.5122362378702089e-7,  -2.6314688468895195e-8,  -3.835380385964237e-9,   -5.5897434621965838e-10,
    -1.8974958123505412e-11, 3.2526035830154882e-11,  1.4125807436613781e-11,  2.0356285441470895e-12,
    -7.1985517762459085e-13, -4.0835511110921973e-13, -2.1015418427726643e-14, 4.2724400167119514e-14,
    1.0420276984128803e-14,  -3.8144030724370078e-15, -1.8803547755107824e-15, 3.3082023109209283e-16,
    2.9626289976459501e-16,  -3.209525921993424e-17,  -4.6503053684893583e-17, 4.4143483230717079e-18,
    7.5172963108421048e-18};

// Where arguments count as large, and to how far from 2 small ones are brought.
static constexpr double kLarge = 8, kHalf = 0.5;

namespace {

// Arithmetic with constants of one float type.
struct Real {
  Scalar &s;
  FloatType type;

  Real(Scalar &s, Value x) : s(s), type(cast<FloatType>(x.getType())) {}

  Value operator()(double value) { return s.constant(type, value); }
  Value nan() {
    return arith::ConstantOp::create(s.b, s.loc, FloatAttr::get(type, std::numeric_limits<double>::quiet_NaN()));
  }
  Value infinity() { return arith::ConstantOp::create(s.b, s.loc, importer::highest(type)); }
  Value isBelow(Value x, double bound) { return s.less(x, (*this)(bound)); }
  // Smaller terms than this do not count beside 1.
  double resolution() const { return type.isF64() ? 1e-17 : 1e-9; }
  Value floor(Value x) { return math::FloorOp::create(s.b, s.loc, x); }
  Value isWhole(Value x) { return s.equal(floor(x), x); }
  Value isNot(Value p) { return arith::XOrIOp::create(s.b, s.loc, p, arith::ConstantIntOp::create(s.b, s.loc, 1, 1)); }
  Value both(Value p, Value q) { return arith::AndIOp::create(s.b, s.loc, p, q); }
  // Sum of coefficients[k] x^k.
  Value polynomial(ArrayRef<double> coefficients, Value x) {
    Value sum = (*this)(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      sum = s.add(s.mul(sum, x), (*this)(coefficient));
    return sum;
  }
  // Sum of coefficients[k] T_k(x), with half of the first, after Clenshaw.
  Value chebyshev(ArrayRef<double> coefficients, Value x) {
    Value twice = s.add(x, x), zero = (*this)(0), current = zero, last = zero;
    for (double coefficient : llvm::reverse(coefficients.drop_front())) {
      if (std::abs(coefficient) < resolution())
        continue;
      Value next = s.add(s.sub(s.mul(twice, current), last), (*this)(coefficient));
      last = std::exchange(current, next);
    }
    return s.add(s.sub(s.mul(x, current), last), (*this)(coefficients.front() / 2));
  }
};

// A positive argument below kLarge as z + 2 with |z| <= 1/2, or as z + 1 or z: what gamma's recurrence then adds.
struct Reduced {
  Value isTiny, isLow; // x is z; x is z + 1
  Value z;
  Value product; // of what x was multiplied with: gamma(x) = gamma(z + 2) * product
  Value sum;     // of the reciprocals of its factors
};

} // namespace

static Reduced reduce(Real &c, Value x) {
  Scalar &s = c.s;
  Value product = c(1), sum = c(0), y = x, one = c(1);
  for (double above = kLarge; above > 2.5; --above) {
    Value goesDown = s.lessEqual(c(2.5), y), next = s.sub(y, one);
    sum = s.select(goesDown, s.add(sum, s.div(one, next)), sum);
    product = s.select(goesDown, s.mul(product, next), product);
    y = s.select(goesDown, next, y);
  }
  Value isTiny = c.isBelow(x, kHalf), isLow = c.isBelow(x, 1.5);
  Value z = s.select(isTiny, x, s.select(isLow, s.sub(x, one), s.sub(y, c(2))));
  return {isTiny, isLow, z, product, sum};
}

// Taylor series around 2 of digamma, or its integral over z: log(gamma(2 + z)) / z.
static Value seriesAroundTwo(Real &c, Value z, bool integrated) {
  SmallVector<double> terms{1 - std::numbers::egamma};
  double most = 1;
  for (auto [k, rest] : llvm::enumerate(kZetaRest)) {
    terms.push_back((k % 2 ? -rest : rest) / (integrated ? static_cast<double>(k + 2) : 1.0));
    most *= kHalf;
    if (rest * most < c.resolution())
      break;
  }
  return c.polynomial(terms, z);
}

// Stirling's sum over k of B(2k) / (2k (2k - 1)) y^(k - 1), or without the factor 2k - 1; y is x^-2 of large x.
static Value stirling(Real &c, Value y, bool integrated) {
  SmallVector<double> terms;
  double factorial = 1;
  for (int k = 1; k <= (c.type.isF64() ? 10 : 5); ++k) {
    factorial *= k == 1 ? 1 : (2.0 * k - 1) * (2.0 * k - 2); // (2k - 1)!
    terms.push_back(kBernoulli[k - 1] * factorial / (integrated ? 2.0 * k - 1 : 1.0));
  }
  return c.polynomial(terms, y);
}

// pi times the distance of x to the nearest integer, with its sign.
static Value turn(Real &c, Value x) {
  Value rest = c.s.sub(x, math::RoundEvenOp::create(c.s.b, c.s.loc, x));
  return c.s.mul(rest, c(std::numbers::pi));
}

//===--- log(gamma) and digamma ----------------------------------------------------------------------------------===//

// Below 8 the Taylor series around 2, else Stirling's; of negative numbers by reflection.
Value numerics::logGamma(Scalar &s, Value given) {
  Real c(s, given);
  Value one = c(1), isNegative = c.isBelow(given, 0);
  Value x = s.select(isNegative, s.sub(one, given), given);
  Reduced r = reduce(c, x);
  Value isLarge = s.lessEqual(c(kLarge), x);
  Value factor = s.select(r.isTiny, s.mul(x, s.add(one, x)), s.select(r.isLow, x, s.select(isLarge, x, r.product)));
  Value log = s.log(factor);
  Value near = s.add(s.mul(r.z, seriesAroundTwo(c, r.z, true)), s.select(r.isLow, s.neg(log), log));
  Value inverse = s.div(one, x);
  Value far = s.mul(s.sub(x, c(kHalf)), s.sub(log, one));
  far = s.add(far, c(kHalf * (std::log(2 * std::numbers::pi) - 1)));
  far = s.add(far, s.mul(inverse, stirling(c, s.mul(inverse, inverse), true)));
  Value positive = s.select(isLarge, far, near);
  Value sine = s.abs(math::SinOp::create(s.b, s.loc, turn(c, given)));
  Value reflected = s.sub(s.sub(c(std::log(std::numbers::pi)), s.log(sine)), positive);
  Value result = s.select(isNegative, reflected, positive);
  return s.select(s.equal(s.abs(given), c.infinity()), c.infinity(), result);
}

Value numerics::digamma(Scalar &s, Value given) {
  Real c(s, given);
  Value one = c(1), isNegative = s.lessEqual(given, c(0));
  Value x = s.select(isNegative, s.sub(one, given), given);
  Reduced r = reduce(c, x);
  Value inverse = s.div(one, x), isLarge = s.lessEqual(c(kLarge), x);
  Value step =
      s.select(r.isTiny, s.neg(s.add(inverse, s.div(one, s.add(one, x)))), s.select(r.isLow, s.neg(inverse), r.sum));
  Value near = s.add(seriesAroundTwo(c, r.z, false), step);
  Value square = s.mul(inverse, inverse);
  Value far = s.sub(s.sub(s.log(x), s.mul(c(kHalf), inverse)), s.mul(square, stirling(c, square, false)));
  Value positive = s.select(isLarge, far, near);
  Value angle = turn(c, given);
  Value reflected = s.sub(positive, s.div(c(std::numbers::pi), math::TanOp::create(s.b, s.loc, angle)));
  return s.select(isNegative, s.select(s.equal(angle, c(0)), c.nan(), reflected), positive);
}

//===--- zeta and polygamma --------------------------------------------------------------------------------------===//

// `body` for counts from 0 on, `trips` times (a float, at most kMostTrips), on a value that begins as `init`.
static constexpr double kMostTrips = 1 << 24;
static Value repeat(Real &c, Value trips, Value init, llvm::function_ref<Value(Value count, Value so_far)> body) {
  Scalar &s = c.s;
  Value most = s.min(s.max(trips, c(0)), c(kMostTrips));
  Value whole = importer::convert(s, most, c.type, s.b.getI64Type());
  Value end = arith::IndexCastOp::create(s.b, s.loc, s.b.getIndexType(), whole);
  Value zero = arith::ConstantIndexOp::create(s.b, s.loc, 0), one = arith::ConstantIndexOp::create(s.b, s.loc, 1);
  auto loop = scf::ForOp::create(s.b, s.loc, zero, end, one, ValueRange{init},
                                 [&](OpBuilder &b, Location loc, Value i, ValueRange carried) {
                                   Scalar inner{b, loc, c.type};
                                   scf::YieldOp::create(b, loc, body(inner.real(i), carried[0]));
                                 });
  return loop.getResult(0);
}

// The sum's first terms one by one, until q is large, and the others after Euler and Maclaurin.
Value numerics::zeta(Scalar &s, Value x, Value q) {
  static constexpr double kTerms = 10;
  Real c(s, x);
  auto power = [&](Value base) -> Value { return math::PowFOp::create(s.b, s.loc, base, s.neg(x)); };
  Value one = c(1), trips = s.add(s.max(s.neg(c.floor(q)), c(0)), c(kTerms));
  Value head = repeat(c, trips, c(0), [&](Value k, Value sum) { return s.add(sum, power(s.add(q, k))); });
  Value a = s.add(q, trips), last = power(a), inverse = s.div(one, a);
  Value tail = s.add(s.div(s.mul(a, last), s.sub(x, one)), s.mul(c(kHalf), last));
  Value factor = s.mul(s.mul(x, last), inverse), square = s.mul(inverse, inverse);
  for (int j = 0; j < (c.type.isF64() ? 12 : 5); ++j) {
    tail = s.add(tail, s.mul(c(kBernoulli[j]), factor));
    Value next = s.mul(s.add(x, c(2 * j + 1)), s.add(x, c(2 * j + 2)));
    factor = s.mul(s.mul(factor, next), square);
  }
  // Where so far on nothing is left, or x or q is infinite, the tail has no digits.
  Value hasTail = c.both(s.less(c(0), last), s.less(a, c.infinity()));
  Value result = s.select(hasTail, s.add(head, tail), head);
  Value isBelow = c.isBelow(q, 0), isPole = c.both(s.lessEqual(q, c(0)), c.isWhole(q));
  Value isWhole = c.both(c.isWhole(x), s.less(x, c.infinity()));
  result = s.select(s.less(c(kMostTrips), trips), c.nan(), result);
  result = s.select(isPole, c.infinity(), s.select(c.both(isBelow, c.isNot(isWhole)), c.nan(), result));
  result = s.select(c.isBelow(x, 1), c.nan(), result);
  result = s.select(s.equal(x, one), c.infinity(), result);
  return s.select(s.isNan(x), x, s.select(s.isNan(q), q, result));
}

// (-1)^(n + 1) n! zeta(n + 1, x).
Value numerics::polygamma(Scalar &s, Value n, Value x) {
  Real c(s, x);
  Value one = c(1), order = s.add(n, one);
  // From about 170 on the factorial is infinite.
  Value factorial =
      repeat(c, s.min(n, c(256)), one, [&](Value k, Value so_far) { return s.mul(so_far, s.add(k, one)); });
  Value isEven = c.isWhole(s.mul(n, c(kHalf)));
  Value magnitude = s.mul(factorial, zeta(s, order, x));
  Value result = s.select(isEven, s.neg(magnitude), magnitude);
  result = s.select(s.equal(n, c(0)), digamma(s, x), result);
  Value isOrder = c.both(c.isWhole(n), s.lessEqual(c(0), n));
  return s.select(isOrder, result, c.nan());
}

//===--- Bessel --------------------------------------------------------------------------------------------------===//

Value numerics::besselI1e(Scalar &s, Value given) {
  Real c(s, given);
  Value x = s.abs(given), isNear = s.lessEqual(x, c(kLarge)), one = c(1);
  Value near = s.mul(x, c.chebyshev(kBesselNear, s.sub(s.mul(x, c(0.25)), one)));
  Value far = s.div(c.chebyshev(kBesselFar, s.sub(s.div(c(16), x), one)), s.sqrt(x));
  return math::CopySignOp::create(s.b, s.loc, s.select(isNear, near, far), given);
}
