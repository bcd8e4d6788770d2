// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Emit/Numerics/Functions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <numbers>

using namespace mlir;
using namespace mlir::heddle;
using importer::Scalar;

// log(1 - x^2) of 0 <= x <= 1 without the loss of digits that the difference has.
static Value logOfRest(Scalar &s, Value x) {
  Value one = s.constant(x.getType(), 1), isNear = s.less(x, s.constant(x.getType(), 0.5));
  return s.select(isNear, Value(math::Log1pOp::create(s.b, s.loc, s.neg(s.mul(x, x)))),
                  s.log(s.mul(s.sub(one, x), s.add(one, x))));
}

// Two polynomials in w = -log(1 - x^2): one for the centre, one in sqrt(w) for the tails.
static Value inverseErfSingle(Scalar &s, Value given) {
  static constexpr double kCentre[] = {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
                                       -0.00125372503, -0.00417768164, 0.246640727,    1.50140941};
  static constexpr double kTail[] = {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                                     -0.0076224613,   0.00943887047,  1.00167406,    2.83297682};
  Type f32 = s.b.getF32Type();
  auto c = [&](double value) { return s.constant(f32, value); };
  Value x = importer::convert(s, given, given.getType(), f32);
  Value w = s.neg(logOfRest(s, s.abs(x)));
  Value isCentre = s.less(w, c(5));
  Value at = s.select(isCentre, s.sub(w, c(2.5)), s.sub(s.sqrt(w), c(3)));
  Value sum = s.select(isCentre, c(kCentre[0]), c(kTail[0]));
  for (size_t i = 1; i < std::size(kCentre); ++i)
    sum = s.add(s.mul(sum, at), s.select(isCentre, c(kCentre[i]), c(kTail[i])));
  Value infinity = arith::ConstantOp::create(s.b, s.loc, importer::highest(f32));
  Value result = s.mul(x, s.select(s.equal(s.abs(x), c(1)), infinity, sum));
  return importer::convert(s, result, f32, given.getType());
}

// An approximation with logarithms, 0.2 % off (S. Winitzki, 2008), and two steps of Halley's, each of which gives three
// times the digits. Far from 0 by way of what erf lacks of 1.
static Value inverseErfDouble(Scalar &s, Value given) {
  static constexpr double kFit = 0.147;
  Type type = given.getType();
  auto c = [&](double value) { return s.constant(type, value); };
  Value infinity = arith::ConstantOp::create(s.b, s.loc, importer::highest(type)), one = c(1);
  Value x = s.abs(given), isNear = s.less(x, c(0.5)), isInside = s.less(x, one), inside = s.select(isInside, x, c(0));
  Value lack = s.sub(one, inside), w = logOfRest(s, inside);
  Value half = s.add(c(2 / (std::numbers::pi * kFit)), s.mul(w, c(0.5))), rest = s.mul(w, c(-1 / kFit));
  Value root = s.sqrt(s.add(s.mul(half, half), rest));
  Value isLarge = s.less(half, c(0)); // the difference of root and half without loss of digits
  Value sum = s.add(root, s.abs(half));
  Value y = s.sqrt(s.select(isLarge, sum, s.div(rest, sum)));
  for (int step = 0; step < 2; ++step) {
    Value over = s.select(isNear, s.sub(s.erf(y), inside), s.sub(lack, Value(math::ErfcOp::create(s.b, s.loc, y))));
    Value newton = s.mul(s.mul(over, c(1 / std::numbers::inv_sqrtpi / 2)), s.exp(s.mul(y, y)));
    y = s.sub(y, s.div(newton, s.add(one, s.mul(y, newton))));
  }
  Value nan = arith::ConstantOp::create(s.b, s.loc, FloatAttr::get(type, std::numeric_limits<double>::quiet_NaN()));
  Value outside = s.select(s.equal(x, one), infinity, nan);
  return math::CopySignOp::create(s.b, s.loc, s.select(isInside, y, outside), given);
}

Value numerics::inverseErf(Scalar &s, Value x) {
  return x.getType().isF64() ? inverseErfDouble(s, x) : inverseErfSingle(s, x);
}

Value numerics::square(Scalar &s, Value x) { return s.mul(x, x); }

// Sums of neighbours: of bits, of pairs, of groups of four; a product then adds all bytes up in the highest.
Value numerics::countOnes(Scalar &s, Value x) {
  Type type = x.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  if (width < 8)
    return x;
  auto c = [&](uint64_t pattern) -> Value {
    return arith::ConstantOp::create(s.b, s.loc, IntegerAttr::get(type, APInt(64, pattern).trunc(width)));
  };
  auto both = [&](Value v, uint64_t mask) -> Value { return arith::AndIOp::create(s.b, s.loc, v, c(mask)); };
  auto down = [&](Value v, uint64_t by) -> Value { return arith::ShRUIOp::create(s.b, s.loc, v, c(by)); };
  x = s.sub(x, both(down(x, 1), 0x5555555555555555));
  x = s.add(both(x, 0x3333333333333333), both(down(x, 2), 0x3333333333333333));
  x = both(s.add(x, down(x, 4)), 0x0f0f0f0f0f0f0f0f);
  return down(s.mul(x, c(0x0101010101010101)), width - 8);
}

Value numerics::countLeadingZeros(Scalar &s, Value x) {
  unsigned width = x.getType().getIntOrFloatBitWidth();
  auto c = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(s.b, s.loc, IntegerAttr::get(x.getType(), value));
  };
  for (unsigned by = 1; by < width; by *= 2)
    x = arith::OrIOp::create(s.b, s.loc, x, arith::ShRUIOp::create(s.b, s.loc, x, c(by)));
  return countOnes(s, arith::XOrIOp::create(s.b, s.loc, x, c(-1)));
}

// On the bits: half of the first lost one is added, less one where what stays is even; a carry goes into the exponent.
Value numerics::reducePrecision(Scalar &s, Value x, unsigned exponentBits, unsigned mantissaBits) {
  auto type = cast<FloatType>(x.getType());
  unsigned width = type.getWidth(), mantissa = type.getFPMantissaWidth() - 1, exponent = width - 1 - mantissa;
  Type integer = s.b.getIntegerType(width);
  auto c = [&](const APInt &value) -> Value {
    return arith::ConstantOp::create(s.b, s.loc, IntegerAttr::get(integer, value));
  };
  auto both = [&](Value a, Value b) -> Value { return arith::AndIOp::create(s.b, s.loc, a, b); };
  Value bits = arith::BitcastOp::create(s.b, s.loc, integer, x), sign = both(bits, c(APInt::getSignMask(width)));
  Value magnitude = both(bits, c(APInt::getSignedMaxValue(width)));
  if (mantissaBits < mantissa) {
    unsigned lost = mantissa - mantissaBits;
    Value last = both(arith::ShRUIOp::create(s.b, s.loc, magnitude, c(APInt(width, lost))), c(APInt(width, 1)));
    magnitude = s.add(s.add(magnitude, c(APInt::getLowBitsSet(width, lost - 1))), last);
    magnitude = both(magnitude, c(APInt::getHighBitsSet(width, width - lost)));
  }
  if (exponentBits < exponent) {
    APInt one(width, 1), bias = one.shl(exponent - 1) - 1, reduced = one.shl(exponentBits - 1) - 1;
    Value least = c((bias - reduced + 1).shl(mantissa)), beyond = c((bias + reduced + 1).shl(mantissa));
    Value infinity = c(APInt::getBitsSet(width, mantissa, width - 1));
    auto isBelow = [&](Value a, Value b) -> Value {
      return arith::CmpIOp::create(s.b, s.loc, arith::CmpIPredicate::ult, a, b);
    };
    magnitude = s.select(isBelow(magnitude, beyond), magnitude, infinity);
    magnitude = s.select(isBelow(magnitude, least), c(APInt::getZero(width)), magnitude);
  }
  Value rounded = arith::OrIOp::create(s.b, s.loc, sign, magnitude);
  return s.select(s.isNan(x), x, arith::BitcastOp::create(s.b, s.loc, type, rounded));
}

Value numerics::integerPower(Scalar &s, Value base, Value exponent) {
  Type type = base.getType();
  Value zero = s.constant(type, 0), one = s.constant(type, 1), result = one, square = base;
  for (unsigned bit = 0, width = type.getIntOrFloatBitWidth(); bit < width; ++bit) {
    Value shifted = bit ? Value(arith::ShRUIOp::create(s.b, s.loc, exponent, s.constant(type, bit))) : exponent;
    Value isSet = arith::TruncIOp::create(s.b, s.loc, s.b.getI1Type(), shifted);
    result = s.select(isSet, s.mul(result, square), result);
    if (bit + 1 < width)
      square = s.mul(square, square);
  }
  if (s.isUnsigned())
    return result;
  Value isUnit = arith::OrIOp::create(s.b, s.loc, s.equal(base, one), s.equal(base, s.constant(type, -1)));
  Value isFraction = s.less(exponent, zero);
  return s.select(isFraction, s.select(isUnit, result, zero), result);
}

// Neighbours differ by one as integers; from 0 it goes to the least number on that side.
Value numerics::nextAfter(Scalar &s, Value x, Value y) {
  unsigned width = x.getType().getIntOrFloatBitWidth();
  Type integer = s.b.getIntegerType(width);
  Value bits = arith::BitcastOp::create(s.b, s.loc, integer, x), zero = s.constant(x.getType(), 0);
  Value grows = s.equal(s.less(x, y), s.less(zero, x));
  Value moved = s.add(bits, s.select(grows, s.constant(integer, 1), s.constant(integer, -1)));
  Value least =
      arith::ConstantOp::create(s.b, s.loc, IntegerAttr::get(integer, APInt::getOneBitSet(width, width - 1) | 1));
  Value fromZero = s.select(s.less(zero, y), s.constant(integer, 1), least);
  Value next = arith::BitcastOp::create(s.b, s.loc, x.getType(), s.select(s.equal(x, zero), fromZero, moved));
  Value result = s.select(s.equal(x, y), y, next);
  return s.select(s.isNan(x), x, s.select(s.isNan(y), y, result));
}

Value numerics::orderKey(Scalar &s, Value x) {
  if (!isa<FloatType>(x.getType()))
    return x;
  unsigned width = x.getType().getIntOrFloatBitWidth();
  Type integer = s.b.getIntegerType(width);
  Value bits = arith::BitcastOp::create(s.b, s.loc, integer, x);
  Value sign = arith::ShRSIOp::create(s.b, s.loc, bits, s.constant(integer, width - 1));
  Value flip = arith::ShRUIOp::create(s.b, s.loc, sign, s.constant(integer, 1));
  return arith::XOrIOp::create(s.b, s.loc, bits, flip);
}

Value numerics::isInfinite(Scalar &s, Value x) {
  return s.equal(s.abs(x), arith::ConstantOp::create(s.b, s.loc, importer::highest(x.getType())));
}
Value numerics::isPositiveInfinite(Scalar &s, Value x) {
  return s.equal(x, arith::ConstantOp::create(s.b, s.loc, importer::highest(x.getType())));
}
Value numerics::isNegativeInfinite(Scalar &s, Value x) {
  return s.equal(x, arith::ConstantOp::create(s.b, s.loc, importer::lowest(x.getType())));
}
