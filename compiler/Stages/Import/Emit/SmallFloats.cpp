// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Emit/SmallFloats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace mlir::heddle::importer;

namespace {

// sign, exponent, mantissa
struct Format {
  int width;
  int mantissa;
  int bias;
  int largest;  // the code of the largest number, without sign
  int infinity; // -1: the type has none
  int nan;

  bool hasOneZero() const { return nan == 0x80; } // the code of -0 is the NaN
  int sign() const { return 1 << (width - 1); }
};

Format formatOf(FloatType type) {
  if (isa<Float8E4M3FNType>(type))
    return {8, 3, 7, 0x7e, -1, 0x7f};
  if (isa<Float8E4M3FNUZType>(type))
    return {8, 3, 8, 0x7f, -1, 0x80};
  if (isa<Float8E5M2Type>(type))
    return {8, 2, 15, 0x7b, 0x7c, 0x7e};
  if (isa<Float8E5M2FNUZType>(type))
    return {8, 2, 16, 0x7f, -1, 0x80};
  return {4, 1, 1, 0x7, -1, 0};
}

// Arithmetic on integers of one width, and on floats as their bits.
struct Bits {
  Scalar s;
  IntegerType type;
  FloatType floats; // of as many bits

  Value constant(int64_t value) { return arith::ConstantOp::create(s.b, s.loc, IntegerAttr::get(type, value)); }
  Value real(double value) { return s.constant(floats, value); }
  Value asFloat(Value x) { return arith::BitcastOp::create(s.b, s.loc, floats, x); }
  Value asBits(Value x) { return arith::BitcastOp::create(s.b, s.loc, type, x); }
  Value add(Value x, int64_t y) { return arith::AddIOp::create(s.b, s.loc, x, constant(y)); }
  Value mask(Value x, int64_t y) { return arith::AndIOp::create(s.b, s.loc, x, constant(y)); }
  Value either(Value x, Value y) { return arith::OrIOp::create(s.b, s.loc, x, y); }
  Value left(Value x, int64_t by) { return arith::ShLIOp::create(s.b, s.loc, x, constant(by)); }
  Value right(Value x, int64_t by) { return arith::ShRUIOp::create(s.b, s.loc, x, constant(by)); }
  Value min(Value x, int64_t y) { return arith::MinSIOp::create(s.b, s.loc, x, constant(y)); }
  Value max(Value x, int64_t y) { return arith::MaxSIOp::create(s.b, s.loc, x, constant(y)); }
  Value isEqual(Value x, int64_t y) { return s.equal(x, constant(y)); }
  Value isLess(Value x, int64_t y) { return s.less(x, constant(y)); }
  Value isMore(Value x, int64_t y) { return s.less(constant(y), x); }
};

constexpr int kWordMantissa = 23, kWordBias = 127, kWordNan = 0x7fc00000;

} // namespace

// 2^(code - 127); the least is not normal in f32.
static Value decodeScale(Bits w, Value code) {
  Value power = w.left(code, kWordMantissa);
  power = w.s.select(w.isEqual(code, 0), w.constant(1 << (kWordMantissa - 1)), power);
  return w.asFloat(w.s.select(w.isEqual(code, 0xff), w.constant(kWordNan), power));
}

Value mlir::heddle::importer::decode(Scalar s, Value code, FloatType from) {
  Bits w{s, s.b.getI32Type(), s.b.getF32Type()};
  Value word = arith::ExtUIOp::create(s.b, s.loc, w.type, code);
  if (isa<Float8E8M0FNUType>(from))
    return decodeScale(w, word);
  Format format = formatOf(from);
  Value magnitude = w.mask(word, format.sign() - 1);
  int64_t rebias = static_cast<int64_t>(kWordBias - format.bias) << kWordMantissa;
  Value normal = w.add(w.left(magnitude, kWordMantissa - format.mantissa), rebias);
  // Without an implicit bit: written as if it had one, which is taken away. No operand is subnormal, which is slow.
  Value withBit = w.asFloat(w.add(normal, int64_t{1} << kWordMantissa));
  Value subnormal = w.asBits(s.sub(withBit, w.real(std::ldexp(1.0, 1 - format.bias))));
  Value bits = s.select(w.isLess(magnitude, 1 << format.mantissa), subnormal, normal);
  if (format.infinity >= 0) // the exponent of infinity and NaN is all ones in both
    bits = s.select(w.isMore(magnitude, format.largest), w.add(normal, rebias), bits);
  else if (format.nan > format.largest)
    bits = s.select(format.hasOneZero() ? w.isEqual(word, format.nan) : w.isEqual(magnitude, format.nan),
                    w.constant(kWordNan), bits);
  Value sign = w.left(w.mask(word, format.sign()), 32 - format.width);
  return w.asFloat(w.either(bits, sign));
}

// The exponent of x rounded to a power of two, as f8E8M0FNU has it.
static Value encodeScale(Bits w, Value magnitude, CastRules rules) {
  constexpr int kMantissa = 52, kRebias = 1023 - 127, kNan = 0xff;
  constexpr int64_t kOne = int64_t{1} << kMantissa, kInfinity = int64_t{0x7ff} << kMantissa;
  int64_t up = rules.scale == CastRules::Up ? kOne - 1 : rules.scale == CastRules::Nearest ? kOne / 2 : 0;
  Value exponent = w.add(w.right(w.add(magnitude, up), kMantissa), -kRebias);
  if (rules.saturate) {
    exponent = w.min(w.max(exponent, 0), kNan - 1);
  } else {
    Value tooSmall = w.isLess(exponent, 0);
    exponent = w.s.select(tooSmall, w.constant(kNan), w.min(exponent, kNan));
  }
  return w.s.select(w.isMore(magnitude, kInfinity), w.constant(kNan), exponent);
}

// The code of a magnitude (the bits of a float of `mantissa` stored bits), perhaps more than the largest.
static Value roundMagnitude(Bits w, Value magnitude, int mantissa, int bias, const Format &format) {
  int shift = mantissa - format.mantissa;
  Value odd = w.mask(w.right(magnitude, shift), 1);
  Value rounded = w.s.add(w.add(magnitude, (int64_t{1} << (shift - 1)) - 1), odd);
  Value normal = w.add(w.right(rounded, shift), -(static_cast<int64_t>(bias - format.bias) << format.mantissa));
  // Beside a number whose last bit is the type's least step, a sum rounds to these steps.
  Value steps = w.real(std::ldexp(1.0, 1 - format.bias - format.mantissa + mantissa));
  Value subnormal = w.s.sub(w.asBits(w.s.add(w.asFloat(magnitude), steps)), w.asBits(steps));
  int64_t leastNormal = static_cast<int64_t>(bias + 1 - format.bias) << mantissa;
  return w.s.select(w.isLess(magnitude, leastNormal), subnormal, normal);
}

Value mlir::heddle::importer::encode(Scalar s, Value x, FloatType to, CastRules rules) {
  bool isScale = isa<Float8E8M0FNUType>(to);
  FloatType wide = isScale || x.getType().isF64() ? FloatType(s.b.getF64Type()) : FloatType(s.b.getF32Type());
  if (x.getType() != wide)
    x = arith::ExtFOp::create(s.b, s.loc, wide, x);
  int width = static_cast<int>(wide.getWidth()), mantissa = width == 64 ? 52 : 23, bias = width == 64 ? 1023 : 127;
  Bits w{s, s.b.getIntegerType(width), wide};
  Value bits = w.asBits(x);
  Value magnitude = w.mask(bits, width == 64 ? INT64_MAX : INT32_MAX);
  auto narrow = [&](Value code) -> Value { return arith::TruncIOp::create(s.b, s.loc, s.b.getI8Type(), code); };
  if (isScale)
    return narrow(encodeScale(w, magnitude, rules));

  Format format = formatOf(to);
  int64_t infinity = ((int64_t{1} << (width - 1 - mantissa)) - 1) << mantissa;
  int outside = rules.saturate || format.width == 4 ? format.largest
                : format.infinity >= 0              ? format.infinity
                                                    : format.largest + 1;
  Value code = w.min(roundMagnitude(w, magnitude, mantissa, bias, format), outside);
  if (outside != format.nan)
    code = s.select(w.isMore(magnitude, infinity), w.constant(format.nan & 0x7f), code);
  Value sign = w.mask(w.right(bits, width - format.width), format.sign());
  Value withSign = w.either(code, sign);
  if (!format.hasOneZero())
    return narrow(withSign);
  withSign = s.select(w.isEqual(code, 0), w.constant(0), withSign);
  Value isNan = rules.saturate ? w.isMore(magnitude, infinity)
                               : s.max(w.isMore(magnitude, infinity), w.isMore(code, format.largest));
  return narrow(s.select(isNan, w.constant(format.nan), withSign));
}
