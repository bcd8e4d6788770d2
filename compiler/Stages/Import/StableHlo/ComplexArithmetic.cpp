// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/StableHlo/ComplexArithmetic.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringMap.h"

#include <limits>
#include <numbers>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

//===--- Real ops ------------------------------------------------------------------------------------------------===//

Value RealOps::make(StringRef name, ValueRange operands, Type result, ArrayRef<NamedAttribute> attributes) {
  OperationState state(loc, name);
  state.addOperands(operands);
  state.addTypes(result);
  state.addAttributes(attributes);
  return b.create(state)->getResult(0);
}

Value RealOps::of(StringRef name, Value x, Value y) {
  return y ? make(name, {x, y}, x.getType()) : make(name, {x}, x.getType());
}

Value RealOps::constant(Value like, double value) {
  auto type = cast<RankedTensorType>(like.getType());
  auto element = FloatAttr::get(type.getElementType(), value);
  return make("stablehlo.constant", {}, type, b.getNamedAttr("value", DenseElementsAttr::get(type, element)));
}

Value RealOps::compare(StringRef direction, Value x, Value y) {
  auto type = cast<RankedTensorType>(x.getType()).clone(b.getI1Type());
  auto attribute =
      OpaqueAttr::get(b.getStringAttr("stablehlo"), ("comparison_direction " + direction).str(), b.getNoneType());
  return make("stablehlo.compare", {x, y}, type, b.getNamedAttr("comparison_direction", attribute));
}

Value RealOps::select(Value condition, Value x, Value y) {
  return make("stablehlo.select", {condition, x, y}, x.getType());
}

// Of a zero only its reciprocal tells the sign, of an infinity only itself.
Value RealOps::withSign(Value magnitude, Value sign) {
  Value zero = constant(sign, 0);
  Value isNegative = of("stablehlo.or", compare("LT", sign, zero), compare("LT", div(constant(sign, 1), sign), zero));
  return select(isNegative, neg(magnitude), magnitude);
}

//===--- Parts ---------------------------------------------------------------------------------------------------===//

static Parts add(RealOps &r, Parts x, Parts y) { return {r.add(x.real, y.real), r.add(x.imaginary, y.imaginary)}; }
static Parts subtract(RealOps &r, Parts x, Parts y) { return {r.sub(x.real, y.real), r.sub(x.imaginary, y.imaginary)}; }
static Parts negate(RealOps &r, Parts x) { return {r.neg(x.real), r.neg(x.imaginary)}; }
static Parts conjugate(RealOps &r, Parts x) { return {x.real, r.neg(x.imaginary)}; }
// x times i, and by it.
static Parts turnLeft(RealOps &r, Parts x) { return {r.neg(x.imaginary), x.real}; }
static Parts turnRight(RealOps &r, Parts x) { return {x.imaginary, r.neg(x.real)}; }
static Parts one(RealOps &r, Parts like) { return {r.constant(like.real, 1), r.constant(like.real, 0)}; }
static Parts select(RealOps &r, Value condition, Parts x, Parts y) {
  return {r.select(condition, x.real, y.real), r.select(condition, x.imaginary, y.imaginary)};
}

static Parts multiply(RealOps &r, Parts x, Parts y) {
  return {r.sub(r.mul(x.real, y.real), r.mul(x.imaginary, y.imaginary)),
          r.add(r.mul(x.real, y.imaginary), r.mul(x.imaginary, y.real))};
}

// Smith's way: by the larger part, so that nothing overflows that the quotient does not. Something by 0 is infinite.
static Parts divide(RealOps &r, Parts x, Parts y) {
  Value zero = r.constant(y.real, 0);
  Value turns = r.compare("LT", r.abs(y.real), r.abs(y.imaginary));
  Value large = r.select(turns, y.imaginary, y.real), small = r.select(turns, y.real, y.imaginary);
  Value isZero = r.compare("EQ", large, zero);
  Value isInfinite = r.compare("EQ", r.abs(small), r.constant(small, kInfinity));
  Value ratio = r.select(isInfinite, r.constant(small, 1), r.select(isZero, zero, r.div(small, large)));
  Value divisor = r.add(large, r.mul(small, ratio));
  Value first = r.select(turns, x.imaginary, x.real), second = r.select(turns, x.real, x.imaginary);
  Value sum = r.div(r.add(first, r.mul(second, ratio)), divisor);
  Value difference = r.div(
      r.sub(r.select(turns, r.mul(x.imaginary, ratio), x.imaginary), r.select(turns, x.real, r.mul(x.real, ratio))),
      divisor);
  return select(r, isZero, {r.div(x.real, r.abs(large)), r.div(x.imaginary, r.abs(large))}, {sum, difference});
}

// The larger magnitude, and the smaller one by it (1 where both are infinite).
static std::pair<Value, Value> magnitudes(RealOps &r, Parts x) {
  Value a = r.abs(x.real), b = r.abs(x.imaginary);
  Value large = r.of("stablehlo.maximum", a, b), small = r.of("stablehlo.minimum", a, b);
  Value ratio = r.select(r.compare("EQ", large, r.constant(large, 0)), large, r.div(small, large));
  return {large, r.select(r.compare("EQ", small, r.constant(small, kInfinity)), r.constant(small, 1), ratio)};
}

static Value absolute(RealOps &r, Parts x) {
  auto [large, ratio] = magnitudes(r, x);
  return r.mul(large, r.sqrt(r.add(r.constant(large, 1), r.mul(ratio, ratio))));
}

//===--- Exponentials and logarithms -----------------------------------------------------------------------------===//

// Far out by two factors, since one alone may be infinite where the product is not. Real stays real.
static Parts exponential(RealOps &r, Parts x) {
  Value unit = r.constant(x.real, 1), half = r.constant(x.real, 0.5);
  Value isFar = r.compare("GT", x.real, r.constant(x.real, 80));
  Value factor = r.of("stablehlo.exponential", r.mul(x.real, r.select(isFar, half, unit)));
  Value rest = r.select(isFar, factor, unit);
  auto scaled = [&](StringRef name) { return r.mul(r.mul(factor, r.of(name, x.imaginary)), rest); };
  Value isReal = r.compare("EQ", x.imaginary, r.constant(x.real, 0));
  return {scaled("stablehlo.cosine"), r.select(isReal, x.imaginary, scaled("stablehlo.sine"))};
}

static Parts exponentialMinusOne(RealOps &r, Parts x) {
  Value sine = r.of("stablehlo.sine", r.mul(x.imaginary, r.constant(x.real, 0.5)));
  Value grown = r.mul(r.of("stablehlo.exponential_minus_one", x.real), r.of("stablehlo.cosine", x.imaginary));
  return {r.sub(grown, r.mul(r.constant(x.real, 2), r.mul(sine, sine))), exponential(r, x).imaginary};
}

// log |x|: near |x| = 1 from |x|^2 - 1.
static Parts logarithm(RealOps &r, Parts x) {
  auto [large, ratio] = magnitudes(r, x);
  Value unit = r.constant(large, 1), half = r.constant(large, 0.5);
  Value small = r.mul(large, ratio);
  Value excess = r.add(r.mul(r.sub(large, unit), r.add(large, unit)), r.mul(small, small));
  Value isNear = r.of("stablehlo.and", r.compare("LT", half, large), r.compare("LT", large, r.constant(large, 2)));
  Value rest = r.of("stablehlo.log_plus_one", r.select(isNear, excess, r.mul(ratio, ratio)));
  Value whole = r.of("stablehlo.log", r.select(isNear, unit, large));
  return {r.add(whole, r.mul(half, rest)), r.of("stablehlo.atan2", x.imaginary, x.real)};
}

static Parts logPlusOne(RealOps &r, Parts x) {
  Value two = r.constant(x.real, 2), half = r.constant(x.real, 0.5);
  Parts moved{r.add(x.real, r.constant(x.real, 1)), x.imaginary};
  Parts far = logarithm(r, moved);
  Value excess = r.add(r.mul(x.real, r.add(two, x.real)), r.mul(x.imaginary, x.imaginary));
  Value isNear = r.compare("LT", r.abs(excess), half);
  Value near = r.mul(half, r.of("stablehlo.log_plus_one", r.select(isNear, excess, r.constant(excess, 0))));
  return {r.select(isNear, near, far.real), far.imaginary};
}

static Parts squareRoot(RealOps &r, Parts x) {
  Value zero = r.constant(x.real, 0), half = r.constant(x.real, 0.5);
  Value a = r.abs(x.real);
  Value root = r.sqrt(r.add(r.mul(half, absolute(r, x)), r.mul(half, a)));
  Value isZero = r.compare("EQ", root, zero);
  Value other = r.select(isZero, zero, r.div(r.mul(half, r.abs(x.imaginary)), root));
  Value isRight = r.compare("GE", x.real, zero);
  Value isInfinite = r.compare("EQ", r.abs(x.imaginary), r.constant(a, kInfinity));
  Value real = r.select(isRight, root, other), imaginary = r.select(isRight, other, root);
  return {r.select(isInfinite, r.abs(x.imaginary), real),
          r.select(isInfinite, x.imaginary, r.withSign(imaginary, x.imaginary))};
}

static Parts power(RealOps &r, Parts x, Parts y) {
  Value zero = r.constant(x.real, 0);
  auto isZero = [&](Parts v) {
    return r.of("stablehlo.and", r.compare("EQ", v.real, zero), r.compare("EQ", v.imaginary, zero));
  };
  Parts result = exponential(r, multiply(r, y, logarithm(r, x)));
  Value vanishes = r.of("stablehlo.and", isZero(x), r.compare("GT", y.real, zero));
  return select(r, isZero(y), one(r, x), select(r, vanishes, {zero, zero}, result));
}

static Parts sign(RealOps &r, Parts x) {
  auto [large, ratio] = magnitudes(r, x);
  Value zero = r.constant(large, 0), isZero = r.compare("EQ", large, zero);
  Parts scaled{r.div(x.real, large), r.div(x.imaginary, large)};
  Value length = absolute(r, scaled);
  return select(r, isZero, {zero, zero}, {r.div(scaled.real, length), r.div(scaled.imaginary, length)});
}

//===--- Circular and hyperbolic functions -----------------------------------------------------------------------===//

// Real stays real, where the other factor may be infinite.
static Parts hyperbolicSine(RealOps &r, Parts x) {
  Value isReal = r.compare("EQ", x.imaginary, r.constant(x.real, 0));
  Value imaginary = r.mul(r.of("chlo.cosh", x.real), r.of("stablehlo.sine", x.imaginary));
  return {r.mul(r.of("chlo.sinh", x.real), r.of("stablehlo.cosine", x.imaginary)),
          r.select(isReal, x.imaginary, imaginary)};
}
static Parts hyperbolicCosine(RealOps &r, Parts x) {
  Value isReal = r.compare("EQ", x.imaginary, r.constant(x.real, 0));
  Value imaginary = r.mul(r.of("chlo.sinh", x.real), r.of("stablehlo.sine", x.imaginary));
  return {r.mul(r.of("chlo.cosh", x.real), r.of("stablehlo.cosine", x.imaginary)),
          r.select(isReal, r.mul(x.imaginary, r.of("stablehlo.sign", x.real)), imaginary)};
}

// From t = tanh of the real part and v = tan of the imaginary one: (t + iv) / (1 + itv), with 1 - t^2 from
// exponentials.
static Parts hyperbolicTangent(RealOps &r, Parts x) {
  Value unit = r.constant(x.real, 1);
  Value t = r.of("stablehlo.tanh", x.real), v = r.of("stablehlo.tan", x.imaginary);
  Value shrunk = r.of("stablehlo.exponential", r.mul(r.constant(x.real, -2), r.abs(x.real)));
  Value sum = r.add(unit, shrunk);
  Value rest = r.div(r.mul(r.constant(x.real, 4), shrunk), r.mul(sum, sum));
  Value tv = r.mul(t, v), divisor = r.add(unit, r.mul(tv, tv));
  Value isInfinite = r.compare("EQ", shrunk, r.constant(shrunk, 0));
  return {r.select(isInfinite, t, r.div(r.mul(t, r.add(unit, r.mul(v, v))), divisor)),
          r.select(isInfinite, shrunk, r.div(r.mul(v, rest), divisor))};
}

// The roots of 1 - x and 1 + x; zeros keep their signs.
static std::pair<Parts, Parts> rootsAround(RealOps &r, Parts x) {
  Value unit = r.constant(x.real, 1);
  return {squareRoot(r, {r.sub(unit, x.real), r.neg(x.imaginary)}), squareRoot(r, {r.add(unit, x.real), x.imaginary})};
}

// After W. Kahan, "Branch cuts for complex elementary functions" (1987), as the next three.
static Parts arcSine(RealOps &r, Parts x) {
  auto [below, above] = rootsAround(r, x);
  Value real = r.of("stablehlo.atan2", x.real, multiply(r, below, above).real);
  return {real, r.of("chlo.asinh", multiply(r, conjugate(r, below), above).imaginary)};
}
static Parts arcCosine(RealOps &r, Parts x) {
  auto [below, above] = rootsAround(r, x);
  Value half = r.of("stablehlo.atan2", below.real, above.real);
  return {r.add(half, half), r.of("chlo.asinh", multiply(r, conjugate(r, above), below).imaginary)};
}
static Parts areaCosine(RealOps &r, Parts x) {
  Value unit = r.constant(x.real, 1);
  Parts below = squareRoot(r, {r.sub(x.real, unit), x.imaginary});
  Parts above = squareRoot(r, {r.add(x.real, unit), x.imaginary});
  Value half = r.of("stablehlo.atan2", below.imaginary, above.real);
  return {r.of("chlo.asinh", multiply(r, conjugate(r, below), above).real), r.add(half, half)};
}
// Far out it is 1 / x and a quarter turn.
static Parts areaTangent(RealOps &r, Parts x) {
  Value unit = r.constant(x.real, 1), quarter = r.constant(x.real, std::numbers::pi / 2);
  Value isFar = r.compare("LT", r.constant(x.real, 1 << 27), magnitudes(r, x).first);
  Parts inverse = divide(r, one(r, x), x);
  Value zero = r.constant(x.real, 0), a = r.select(isFar, zero, x.real), b = r.select(isFar, zero, x.imaginary);
  Value less = r.sub(unit, a), square = r.mul(b, b);
  Value quotient = r.div(r.mul(r.constant(a, 4), a), r.add(r.mul(less, less), square));
  Value angle = r.of("stablehlo.atan2", r.add(b, b), r.sub(r.mul(less, r.add(unit, a)), square));
  Parts near{r.mul(r.constant(a, 0.25), r.of("stablehlo.log_plus_one", quotient)), r.mul(r.constant(a, 0.5), angle)};
  return select(r, isFar, {inverse.real, r.add(r.withSign(quarter, x.imaginary), inverse.imaginary)}, near);
}

//===--- Table ---------------------------------------------------------------------------------------------------===//

template <Parts (*function)(RealOps &, Parts)> static Parts ofOne(RealOps &r, ArrayRef<Parts> v) {
  return function(r, v[0]);
}
template <Parts (*function)(RealOps &, Parts, Parts)> static Parts ofTwo(RealOps &r, ArrayRef<Parts> v) {
  return function(r, v[0], v[1]);
}
// function(ix) / i.
template <Parts (*function)(RealOps &, Parts)> static Parts turned(RealOps &r, ArrayRef<Parts> v) {
  return turnRight(r, function(r, turnLeft(r, v[0])));
}

static Parts logistic(RealOps &r, Parts x) {
  Parts unit = one(r, x);
  return divide(r, unit, add(r, unit, exponential(r, negate(r, x))));
}

const ComplexRule *mlir::heddle::hlo::findComplexRule(StringRef name) {
  static const llvm::StringMap<ComplexRule> table = {
      {"stablehlo.abs", {1, [](RealOps &r, ArrayRef<Parts> v) { return Parts{absolute(r, v[0]), {}}; }}},
      {"stablehlo.add", {2, ofTwo<add>}},
      {"stablehlo.cosine", {1, [](RealOps &r, ArrayRef<Parts> v) { return hyperbolicCosine(r, turnLeft(r, v[0])); }}},
      {"stablehlo.divide", {2, ofTwo<divide>}},
      {"stablehlo.exponential", {1, ofOne<exponential>}},
      {"stablehlo.exponential_minus_one", {1, ofOne<exponentialMinusOne>}},
      {"stablehlo.imag", {1, [](RealOps &, ArrayRef<Parts> v) { return Parts{v[0].imaginary, {}}; }}},
      {"stablehlo.log", {1, ofOne<logarithm>}},
      {"stablehlo.log_plus_one", {1, ofOne<logPlusOne>}},
      {"stablehlo.logistic", {1, ofOne<logistic>}},
      {"stablehlo.multiply", {2, ofTwo<multiply>}},
      {"stablehlo.negate", {1, ofOne<negate>}},
      {"stablehlo.power", {2, ofTwo<power>}},
      {"stablehlo.real", {1, [](RealOps &, ArrayRef<Parts> v) { return Parts{v[0].real, {}}; }}},
      {"stablehlo.rsqrt",
       {1, [](RealOps &r, ArrayRef<Parts> v) { return divide(r, one(r, v[0]), squareRoot(r, v[0])); }}},
      {"stablehlo.sign", {1, ofOne<sign>}},
      {"stablehlo.sine", {1, turned<hyperbolicSine>}},
      {"stablehlo.sqrt", {1, ofOne<squareRoot>}},
      {"stablehlo.subtract", {2, ofTwo<subtract>}},
      {"stablehlo.tan", {1, turned<hyperbolicTangent>}},
      {"stablehlo.tanh", {1, ofOne<hyperbolicTangent>}},
      {"chlo.acos", {1, ofOne<arcCosine>}},
      {"chlo.acosh", {1, ofOne<areaCosine>}},
      {"chlo.asin", {1, ofOne<arcSine>}},
      {"chlo.asinh", {1, turned<arcSine>}},
      {"chlo.atan", {1, turned<areaTangent>}},
      {"chlo.atanh", {1, ofOne<areaTangent>}},
      {"chlo.conj", {1, ofOne<conjugate>}},
      {"chlo.cosh", {1, ofOne<hyperbolicCosine>}},
      {"chlo.sinh", {1, ofOne<hyperbolicSine>}},
      {"chlo.square", {1, [](RealOps &r, ArrayRef<Parts> v) { return multiply(r, v[0], v[0]); }}},
      {"chlo.tan", {1, turned<hyperbolicTangent>}},
  };
  auto found = table.find(name);
  return found == table.end() ? nullptr : &found->second;
}
