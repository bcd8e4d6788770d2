// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Circular functions and their inverses.
#include "compiler/Codegen/Math/DoubleFunctions.h"
#include "compiler/Codegen/Math/DoublePolynomials.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::heddle::codegen;

// pi / 2, pi / 4 and pi, each in two parts.
static constexpr double kHalfPiHigh = 0x1.921fb54442d18p+0, kHalfPiLow = 0x1.1a62633145c07p-54;
static constexpr double kQuarterPiHigh = kHalfPiHigh / 2, kQuarterPiLow = kHalfPiLow / 2;
static constexpr double kPiHigh = kHalfPiHigh * 2, kPiLow = kHalfPiLow * 2;
// Up to here the quadrant has at most 20 bits.
static constexpr double kLargestSmall = 0x1.9p20;

namespace {

// x = quadrant * pi / 2 + rest, |rest| <= pi / 4; of the quadrant the lowest two bits count.
struct Reduced {
  Pair rest;
  Value quadrant;
};

} // namespace

//===--- Reduction -----------------------------------------------------------------------------------------------===//

// pi / 2 in three parts, of which products with the quadrant are exact but for the last.
static Reduced reduceSmall(DoubleBuilder &d, Value x) {
  static constexpr double kFirst = 0x1.921fb544p+0, kSecond = 0x1.0b4611a6p-34, kThird = 0x1.3198a2e037073p-69;
  DoubleBuilder::Rounded k = d.round(d.mul(x, d.real(1 / kHalfPiHigh)));
  Value first = d.sub(x, d.mul(k.real, d.real(kFirst)));
  Pair rest = d.sum(first, d.mul(k.real, d.real(-kSecond)));
  return {d.quickSum(rest.high, d.fma(k.real, d.real(-kThird), rest.low)), k.integer};
}

// The words 32 i … of 2 / pi, with two words of zeros before the point, as many as `count` from word `index` on: a
// choice of constants bit by bit of the index.
static SmallVector<Value> wordsOfTwoOverPi(DoubleBuilder &d, Value index, unsigned count) {
  static constexpr uint32_t kWords[] = {
      0,          0,          0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041,
      0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e,
      0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b,
      0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d,
      0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046};
  SmallVector<Value> words;
  for (uint32_t word : kWords)
    words.push_back(d.bits(word));
  for (unsigned step = 32; step; step /= 2) {
    Value isSet = d.isNot(d.isZero(d.both(index, d.bits(step))));
    SmallVector<Value> chosen;
    for (unsigned i = 0; i < std::min<size_t>(words.size(), count + step - 1); ++i)
      chosen.push_back(i + step < words.size() ? d.select(isSet, words[i + step], words[i]) : words[i]);
    words = chosen;
  }
  words.resize(count);
  return words;
}

// The first `words.size()` words of mantissa * words, of 53 bits and of words below the point.
static SmallVector<Value> multiplyWords(DoubleBuilder &d, Value mantissa, ArrayRef<Value> words) {
  Value mask = d.bits(0xffffffff), low = d.both(mantissa, mask), high = d.shiftRight(mantissa, 32);
  auto times = [&](Value x, Value y) -> Value { return arith::MulIOp::create(d.b, d.loc, x, y); };
  SmallVector<Value> result(words.size());
  Value carry = d.bits(0), previousLow = d.bits(0), previousHigh = d.bits(0);
  // From the last word on. Word i takes the low half of low * w[i], the high half of low * w[i + 1], and so on.
  Value highOfNext = d.bits(0);
  for (size_t i = words.size(); i-- > 0;) {
    Value lowProduct = times(low, words[i]);
    Value sum = d.addBits(d.both(lowProduct, mask), previousLow);
    sum = d.addBits(sum, d.addBits(d.both(previousHigh, mask), d.addBits(highOfNext, carry)));
    result[i] = d.both(sum, mask);
    carry = d.shiftRight(sum, 32);
    previousLow = d.shiftRight(lowProduct, 32);
    highOfNext = d.shiftRight(previousHigh, 32);
    previousHigh = times(high, words[i]);
  }
  return result;
}

// After Payne and Hanek: the product of the mantissa with those bits of 2 / pi that decide the quadrant modulo 4 and
// 158 bits of the fraction.
static Reduced reduceLarge(DoubleBuilder &d, Value x) {
  static constexpr unsigned kCount = 6;
  Value word = d.both(d.toBits(x), d.bits(0x7fffffffffffffff));
  Value fraction = d.both(word, d.bits((uint64_t(1) << 52) - 1));
  Value mantissa = d.either(fraction, d.bits(uint64_t(1) << 52));
  // x = mantissa * 2^e; with e - 2 = 32 i + by, words before i only add multiples of 4.
  Value position = d.subBits(d.shiftRight(word, 52), d.bits(1075 + 2 - 64));
  SmallVector<Value> words = wordsOfTwoOverPi(d, d.shiftRight(position, 5), kCount + 1);
  Value by = d.both(position, d.bits(31)), mask = d.bits(0xffffffff);
  SmallVector<Value> shifted;
  for (unsigned i = 0; i < kCount; ++i) {
    Value both = d.either(d.shiftLeft(words[i], 32), words[i + 1]);
    Value moved = arith::ShLIOp::create(d.b, d.loc, both, by);
    shifted.push_back(d.both(d.shiftRight(moved, 32), mask));
  }
  SmallVector<Value> product = multiplyWords(d, mantissa, shifted);
  // Two bits of the quadrant, then 30 of the fraction, which becomes a signed one.
  Value quadrant = d.shiftRight(d.addBits(product[0], d.bits(1 << 29)), 30);
  Value top = d.subBits(product[0], d.shiftLeft(quadrant, 30));
  auto part = [&](Value integer, int exponent) { return d.mul(d.toReal(integer), d.real(std::ldexp(1.0, exponent))); };
  Pair turn = d.sum(part(top, -30), part(product[1], -62));
  Value rest = d.add(part(product[2], -94), part(product[3], -126));
  turn = d.quickSum(turn.high, d.add(turn.low, rest));
  Pair angle = d.product(turn.high, d.real(kHalfPiHigh));
  Value low = d.fma(turn.high, d.real(kHalfPiLow), d.mul(turn.low, d.real(kHalfPiHigh)));
  angle = d.quickSum(angle.high, d.add(angle.low, low));
  Value isNegative = d.less(x, d.real(0));
  return {{d.select(isNegative, d.neg(angle.high), angle.high), d.select(isNegative, d.neg(angle.low), angle.low)},
          d.select(isNegative, d.subBits(d.bits(0), quadrant), quadrant)};
}

// Large arguments are rare: only where a lane has one.
static Reduced reduce(DoubleBuilder &d, Value x) {
  Reduced small = reduceSmall(d, x);
  Value isLarge = d.less(d.real(kLargestSmall), d.abs(x)), any = isLarge;
  if (isa<VectorType>(isLarge.getType()))
    any = vector::ReductionOp::create(d.b, d.loc, vector::CombiningKind::OR, isLarge);
  SmallVector<Value> before{small.rest.high, small.rest.low, small.quadrant};
  auto branch = scf::IfOp::create(d.b, d.loc, ValueRange(before).getTypes(), any, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(d.b);
    d.b.setInsertionPointToStart(branch.thenBlock());
    Reduced large = reduceLarge(d, d.select(isLarge, x, d.real(kLargestSmall)));
    SmallVector<Value> after{large.rest.high, large.rest.low, large.quadrant}, chosen;
    for (auto [l, s] : llvm::zip(after, before))
      chosen.push_back(d.select(isLarge, l, s));
    scf::YieldOp::create(d.b, d.loc, chosen);
    d.b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(d.b, d.loc, before);
  }
  return {{branch.getResult(0), branch.getResult(1)}, branch.getResult(2)};
}

//===--- Sine, cosine, tangent -----------------------------------------------------------------------------------===//

static Value sinOf(DoubleBuilder &d, Pair r) {
  Value z = d.mul(r.high, r.high), cubic = d.mul(d.mul(z, r.high), d.polynomial(z, kSinTail));
  Value cosine = d.fma(z, d.real(-0.5), d.real(1));
  return d.add(r.high, d.fma(r.low, cosine, cubic));
}

static Value cosOf(DoubleBuilder &d, Pair r) {
  Value z = d.mul(r.high, r.high);
  Pair start = d.quickSum(d.real(1), d.mul(z, d.real(-0.5)));
  Value rest = d.fma(d.mul(z, z), d.polynomial(z, kCosTail), d.neg(d.mul(r.high, r.low)));
  return d.add(start.high, d.add(start.low, rest));
}

static Value isOdd(DoubleBuilder &d, Value quadrant) { return d.isNot(d.isZero(d.both(quadrant, d.bits(1)))); }

// Infinities have no sine: infinity - infinity.
static Value finish(DoubleBuilder &d, Value x, Value result) {
  return d.select(d.less(d.abs(x), d.real(doubles::kInfinity)), result, d.sub(x, x));
}

// The sine of x and `turns` quadrants more.
static Value sinTurned(DoubleBuilder &d, Value x, uint64_t turns) {
  Reduced r = reduce(d, x);
  Value quadrant = d.addBits(r.quadrant, d.bits(turns));
  Value result = d.select(isOdd(d, quadrant), cosOf(d, r.rest), sinOf(d, r.rest));
  Value sign = d.shiftLeft(d.both(quadrant, d.bits(2)), 62);
  return finish(d, x, d.fromBits(arith::XOrIOp::create(d.b, d.loc, d.toBits(result), sign)));
}

Value doubles::sin(DoubleBuilder &d, Value x) { return d.select(d.equal(x, d.real(0)), x, sinTurned(d, x, 0)); }
Value doubles::cos(DoubleBuilder &d, Value x) { return sinTurned(d, x, 1); }

Value doubles::tan(DoubleBuilder &d, Value x) {
  Reduced r = reduce(d, x);
  Value odd = isOdd(d, r.quadrant), sine = sinOf(d, r.rest), cosine = cosOf(d, r.rest);
  Value result = d.div(d.select(odd, d.neg(cosine), sine), d.select(odd, sine, cosine));
  return d.select(d.equal(x, d.real(0)), x, finish(d, x, result));
}

//===--- Inverses ------------------------------------------------------------------------------------------------===//

namespace {

// asin(x) for x up to 1/2; above, the asin of sqrt((1 - x) / 2), which is half of pi / 2 - asin(x).
struct ArcSine {
  Value isFar, value;
};

} // namespace

static ArcSine arcSine(DoubleBuilder &d, Value magnitude) {
  Value isFar = d.less(d.real(0.5), magnitude);
  Value z = d.select(isFar, d.mul(d.sub(d.real(1), magnitude), d.real(0.5)), d.mul(magnitude, magnitude));
  Value s = d.select(isFar, d.sqrt(z), magnitude);
  return {isFar, d.fma(d.mul(s, z), d.polynomial(z, kAsinTail), s)};
}

Value doubles::asin(DoubleBuilder &d, Value x) {
  ArcSine arc = arcSine(d, d.abs(x));
  Value twice = d.add(arc.value, arc.value);
  Value far = d.sub(d.real(kHalfPiHigh), d.sub(twice, d.real(kHalfPiLow)));
  Value result = d.copySign(d.select(arc.isFar, far, arc.value), x);
  return d.select(d.isNan(x), x, result);
}

Value doubles::acos(DoubleBuilder &d, Value x) {
  ArcSine arc = arcSine(d, d.abs(x));
  Value twice = d.add(arc.value, arc.value), isNegative = d.less(x, d.real(0));
  Value far = d.select(isNegative, d.sub(d.real(kPiHigh), d.sub(twice, d.real(kPiLow))), twice);
  Value near = d.sub(d.real(kHalfPiHigh), d.sub(d.copySign(arc.value, x), d.real(kHalfPiLow)));
  return d.select(d.isNan(x), x, d.select(arc.isFar, far, near));
}

// Up to tan(pi / 8) itself, then by way of (x - 1) / (x + 1) and pi / 4, from tan(3 pi / 8) on of -1 / x and pi / 2.
Value doubles::atan(DoubleBuilder &d, Value x) {
  Value a = d.abs(x), one = d.real(1), zero = d.real(0);
  Value isMiddle = d.less(d.real(0.41421356237309503), a), isFar = d.less(d.real(2.414213562373095), a);
  Value top = d.select(isFar, d.real(-1), d.select(isMiddle, d.sub(a, one), a));
  Value bottom = d.select(isFar, a, d.select(isMiddle, d.add(a, one), one));
  Value y = d.div(top, bottom), z = d.mul(y, y);
  Value high = d.select(isFar, d.real(kHalfPiHigh), d.select(isMiddle, d.real(kQuarterPiHigh), zero));
  Value low = d.select(isFar, d.real(kHalfPiLow), d.select(isMiddle, d.real(kQuarterPiLow), zero));
  Value tail = d.fma(d.mul(y, z), d.polynomial(z, kAtanTail), low);
  Value result = d.copySign(d.add(high, d.add(y, tail)), x);
  return d.select(d.isNan(x), x, result);
}

// The angle of the slope y / x, turned by pi where x is negative. Zeros have signs; two infinities have the slope 1.
Value doubles::atan2(DoubleBuilder &d, Value y, Value x) {
  Value zero = d.real(0), infinity = d.real(doubles::kInfinity), one = d.real(1), top = d.abs(y), bottom = d.abs(x);
  Value areZeros = d.equal(d.max(top, bottom), zero), areInfinite = d.equal(d.min(top, bottom), infinity);
  Value slope = d.div(d.select(areInfinite, one, d.select(areZeros, zero, top)),
                      d.select(d.either(areInfinite, areZeros), one, bottom));
  Value angle = doubles::atan(d, slope), isLeft = d.less(d.copySign(one, x), zero);
  angle = d.select(isLeft, d.sub(d.real(kPiHigh), d.sub(angle, d.real(kPiLow))), angle);
  Value nan = d.real(std::numeric_limits<double>::quiet_NaN());
  return d.select(d.compare(arith::CmpFPredicate::UNO, x, y), nan, d.copySign(angle, y));
}
