// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Evaluation/Lanes.h"

#include <bit>
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::heddle::evaluation;

//===--- 16-bit floats -------------------------------------------------------------------------------------------===//

static float fromHalf(uint16_t bits) {
  uint32_t sign = uint32_t{bits & 0x8000u} << 16, exponent = bits >> 10 & 31, mantissa = bits & 1023;
  if (exponent == 31)
    return std::bit_cast<float>(sign | 0x7f800000u | mantissa << 13);
  if (exponent != 0)
    return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  float magnitude = std::ldexp(static_cast<float>(mantissa), -24);
  return sign ? -magnitude : magnitude;
}

static uint16_t toHalf(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value), sign = bits >> 16 & 0x8000u;
  bits &= 0x7fffffffu;
  if (bits > 0x7f800000u)
    return sign | 0x7e00u | (bits >> 13 & 1023);
  if (bits >= 0x477ff000u) // from 65520 on: infinity
    return sign | 0x7c00u;
  if (bits < 0x38800000u) // subnormal: adding 0.5 leaves the rounded mantissa in the last bits
    return sign | (std::bit_cast<uint32_t>(std::bit_cast<float>(bits) + 0.5f) - 0x3f000000u);
  uint32_t odd = bits >> 13 & 1;
  return sign | (bits - (112u << 23) + 0xfffu + odd) >> 13;
}

static float fromBFloat(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

static uint16_t toBFloat(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value))
    return bits >> 16 | 64;
  return (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
}

float mlir::heddle::evaluation::roundToHalf(float value) { return fromHalf(toHalf(value)); }
float mlir::heddle::evaluation::roundToBFloat(float value) { return fromBFloat(toBFloat(value)); }

float mlir::heddle::evaluation::roundToOdd(double value) {
  float nearest = static_cast<float>(value);
  if (nearest == value || !std::isfinite(value))
    return nearest;
  uint32_t bits = std::bit_cast<uint32_t>(nearest);
  if (std::abs(static_cast<double>(nearest)) > std::abs(value))
    --bits; // towards zero
  return std::bit_cast<float>(bits | 1);
}

//===--- Memory --------------------------------------------------------------------------------------------------===//

namespace {

template <typename T> T identity(T value) { return value; }
int64_t fromBool(uint8_t byte) { return byte != 0; }
uint8_t toBool(int64_t value) { return value & 1; }

template <typename Stored, typename Lane, auto convert>
void load(const char *from, int64_t stride, Lanes &to, int64_t count) {
  Lane *lanes = to.as<Lane>();
  auto element = [&](int64_t i, int64_t step) -> Lane {
    Stored value;
    std::memcpy(&value, from + i * step, sizeof value);
    return convert(value);
  };
  if (stride == sizeof(Stored))
    for (int64_t i = 0; i < count; ++i)
      lanes[i] = element(i, sizeof(Stored));
  else if (stride == 0)
    std::fill_n(lanes, count, element(0, 0));
  else
    for (int64_t i = 0; i < count; ++i)
      lanes[i] = element(i, stride);
}

template <typename Stored, typename Lane, auto convert>
void store(const Lanes &from, char *to, int64_t stride, int64_t count) {
  const Lane *lanes = const_cast<Lanes &>(from).as<Lane>();
  auto write = [&](int64_t i, int64_t step) {
    Stored value = static_cast<Stored>(convert(lanes[i]));
    std::memcpy(to + i * step, &value, sizeof value);
  };
  if (stride == sizeof(Stored))
    for (int64_t i = 0; i < count; ++i)
      write(i, sizeof(Stored));
  else
    for (int64_t i = 0; i < count; ++i)
      write(i, stride);
}

struct Access {
  LoadFunction load;
  StoreFunction store;
};

template <typename Stored, typename Lane> constexpr Access plain() {
  return {load<Stored, Lane, identity<Stored>>, store<Stored, Lane, identity<Lane>>};
}

Access select(Type type) {
  if (type.isF32())
    return plain<float, float>();
  if (type.isF64())
    return plain<double, double>();
  if (type.isF16())
    return {load<uint16_t, float, fromHalf>, store<uint16_t, float, toHalf>};
  if (type.isBF16())
    return {load<uint16_t, float, fromBFloat>, store<uint16_t, float, toBFloat>};
  switch (type.isIndex() ? 64 : type.getIntOrFloatBitWidth()) {
  case 1: return {load<uint8_t, int64_t, fromBool>, store<uint8_t, int64_t, toBool>};
  case 8: return plain<int8_t, int64_t>();
  case 16: return plain<int16_t, int64_t>();
  case 32: return plain<int32_t, int64_t>();
  default: return plain<int64_t, int64_t>();
  }
}

} // namespace

LoadFunction mlir::heddle::evaluation::selectLoad(Type type) { return select(type).load; }
StoreFunction mlir::heddle::evaluation::selectStore(Type type) { return select(type).store; }
