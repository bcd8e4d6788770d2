// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats of 16 and 8 bits to f32 and back, in forms that a compiler can vectorise: selections, no branches, no tables.
// To f32 is exact, and a NaN stays one. Back is to nearest, ties to even; what is too large becomes infinity, or NaN
// where the type has no infinity, as llvm::APFloat has it.
//
// Sources: IEEE 754-2019 for f16; "FP8 Formats for Deep Learning" (Micikevicius and others, 2022) for f8E4M3FN and
// f8E5M2; "8-bit Numerical Formats for Deep Neural Networks" (Noune and others, 2022) for the FNUZ kinds.
#ifndef HEDDLE_RUNTIME_COLLECTIVES_SMALLFLOATS_H
#define HEDDLE_RUNTIME_COLLECTIVES_SMALLFLOATS_H

#include <bit>
#include <cstdint>

namespace heddle::collectives {

// What the codes with the greatest exponent mean, and -0.
enum class Specials {
  Ieee,     // infinity and NaN
  Finite,   // all ones is NaN, there is no infinity (FN)
  Unsigned0 // the code of -0 is the only NaN (FNUZ)
};

// A float with a sign, `kExponent` bits of exponent and `kMantissa` bits of mantissa, in the low bits of Code.
template <typename Code, int kExponent, int kMantissa, int kBias, Specials kSpecials> struct SmallFloat {
  static constexpr uint32_t kSign = 1u << (kExponent + kMantissa), kAll = kSign - 1;
  static constexpr uint32_t kInfinity = ((1u << kExponent) - 1) << kMantissa;
  static constexpr uint32_t kNan = kSpecials == Specials::Ieee     ? kInfinity | 1u << (kMantissa - 1)
                                   : kSpecials == Specials::Finite ? kAll
                                                                   : kSign;
  // The first code of a magnitude that is no number.
  static constexpr uint32_t kOverflow = kSpecials == Specials::Ieee     ? kInfinity
                                        : kSpecials == Specials::Finite ? kAll
                                                                        : kSign;
  static constexpr uint32_t kOverflowed = kSpecials == Specials::Ieee ? kInfinity : kNan;

  // 2^exponent.
  static constexpr float power(int exponent) { return std::bit_cast<float>(uint32_t(exponent + 127) << 23); }

  static float toFloat(Code code) {
    const uint32_t magnitude = code & kAll, sign = uint32_t(code & kSign) << (31 - kExponent - kMantissa);
    // As f32 with the exponent's bias still the small one: exact after one product, also where it is subnormal.
    const float scaled = std::bit_cast<float>(magnitude << (23 - kMantissa)) * power(127 - kBias);
    uint32_t bits = std::bit_cast<uint32_t>(scaled);
    if constexpr (kSpecials == Specials::Ieee)
      bits = magnitude >= kInfinity ? 0x7f800000u | (magnitude & ~kInfinity) << (23 - kMantissa) : bits;
    else if constexpr (kSpecials == Specials::Finite)
      bits = magnitude == kAll ? 0x7fc00000u : bits;
    else
      bits = code == kSign ? 0x7fc00000u : bits;
    return std::bit_cast<float>(bits | sign);
  }

  static Code fromFloat(float value) {
    const uint32_t bits = std::bit_cast<uint32_t>(value), magnitude = bits & 0x7fffffffu;
    constexpr int kDropped = 23 - kMantissa;
    // Normal: the bits that go are rounded by a carry. Subnormal: a sum with a number whose last bit is the type's.
    const uint32_t odd = magnitude >> kDropped & 1;
    const uint32_t normal =
        ((magnitude + ((1u << (kDropped - 1)) - 1) + odd) >> kDropped) - (uint32_t(127 - kBias) << kMantissa);
    constexpr float kMagic = power(24 - kBias - kMantissa);
    const uint32_t subnormal =
        std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + kMagic) - std::bit_cast<uint32_t>(kMagic);
    uint32_t code = magnitude < uint32_t(128 - kBias) << 23 ? subnormal : normal;
    code = magnitude < 0x7f800000u && code < kOverflow ? code : kOverflowed;
    code = magnitude > 0x7f800000u ? kNan : code;
    uint32_t sign = bits >> 31 << (kExponent + kMantissa);
    if constexpr (kSpecials == Specials::Unsigned0)
      sign = code == 0 || code == kNan ? 0 : sign;
    return Code(code | sign);
  }
};

using Half = SmallFloat<uint16_t, 5, 10, 15, Specials::Ieee>;
using F8E4M3FN = SmallFloat<uint8_t, 4, 3, 7, Specials::Finite>;
using F8E5M2 = SmallFloat<uint8_t, 5, 2, 15, Specials::Ieee>;
using F8E4M3FNUZ = SmallFloat<uint8_t, 4, 3, 8, Specials::Unsigned0>;
using F8E5M2FNUZ = SmallFloat<uint8_t, 5, 2, 16, Specials::Unsigned0>;

struct BFloat16 {
  static float toFloat(uint16_t code) { return std::bit_cast<float>(uint32_t(code) << 16); }
  static uint16_t fromFloat(float value) {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return uint16_t((bits & 0x7fffffffu) > 0x7f800000u ? bits >> 16 | 0x40 : rounded);
  }
};

} // namespace heddle::collectives

#endif // HEDDLE_RUNTIME_COLLECTIVES_SMALLFLOATS_H
