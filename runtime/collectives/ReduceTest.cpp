// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/collectives/Reduce.h"

#include "runtime/collectives/SmallFloats.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

namespace heddle::collectives {
namespace {

using contract::ElementType;
using contract::Reduction;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInfinity = std::numeric_limits<float>::infinity();

template <typename T>
std::vector<T> reduce(Reduction reduction, ElementType type, std::vector<std::vector<T>> sources) {
  std::vector<const std::byte *> pointers;
  for (const std::vector<T> &source : sources)
    pointers.push_back(reinterpret_cast<const std::byte *>(source.data()));
  std::vector<T> target(sources[0].size());
  reduceElements(reduction, type, pointers, reinterpret_cast<std::byte *>(target.data()), target.size());
  return target;
}

TEST(Reduce, IntegersWrapAround) {
  using V = std::vector<int8_t>;
  EXPECT_EQ(reduce<int8_t>(Reduction::Sum, ElementType::I8, {{127, -128}, {1, -1}}), V({-128, 127}));
  EXPECT_EQ(reduce<int8_t>(Reduction::Product, ElementType::I8, {{100, -128}, {3, -1}, {1, 1}}), V({44, -128}));
  EXPECT_EQ(reduce<uint16_t>(Reduction::Product, ElementType::U16, {{65535}, {65535}}), std::vector<uint16_t>({1}));
  EXPECT_EQ(reduce<int64_t>(Reduction::Sum, ElementType::I64, {{INT64_MAX}, {1}}), std::vector<int64_t>({INT64_MIN}));
}

TEST(Reduce, SignsOfMinAndMax) {
  EXPECT_EQ(reduce<int8_t>(Reduction::Min, ElementType::I8, {{-1}, {1}, {0}}), std::vector<int8_t>({-1}));
  EXPECT_EQ(reduce<uint8_t>(Reduction::Min, ElementType::U8, {{255}, {1}, {2}}), std::vector<uint8_t>({1}));
  EXPECT_EQ(reduce<uint8_t>(Reduction::Max, ElementType::U8, {{255}, {1}, {2}}), std::vector<uint8_t>({255}));
}

TEST(Reduce, BooleansStayBooleans) {
  using V = std::vector<uint8_t>;
  const std::vector<V> sources = {{0, 0, 1, 1}, {0, 1, 0, 1}};
  EXPECT_EQ(reduce(Reduction::And, ElementType::I1, sources), V({0, 0, 0, 1}));
  EXPECT_EQ(reduce(Reduction::Or, ElementType::I1, sources), V({0, 1, 1, 1}));
  EXPECT_EQ(reduce(Reduction::Xor, ElementType::I1, sources), V({0, 1, 1, 0}));
  EXPECT_EQ(reduce(Reduction::Min, ElementType::I1, sources), V({0, 0, 0, 1}));
  EXPECT_EQ(reduce(Reduction::Max, ElementType::I1, sources), V({0, 1, 1, 1}));
}

// As arith.minimumf and arith.maximumf.
TEST(Reduce, NanAndZerosOfMinAndMax) {
  for (const bool isFirst : {true, false}) {
    const std::vector<float> one = {kNan, kNan, -0.f, 1, -kInfinity}, other = {1, -kInfinity, 0.f, 2, kInfinity};
    const auto run = [&](Reduction reduction) {
      return isFirst ? reduce<float>(reduction, ElementType::F32, {one, other})
                     : reduce<float>(reduction, ElementType::F32, {other, one});
    };
    const std::vector<float> least = run(Reduction::Min), greatest = run(Reduction::Max);
    EXPECT_TRUE(std::isnan(least[0]) && std::isnan(least[1]) && std::isnan(greatest[0]) && std::isnan(greatest[1]));
    EXPECT_TRUE(std::signbit(least[2]) && !std::signbit(greatest[2]));
    EXPECT_EQ(least[3], 1);
    EXPECT_EQ(greatest[3], 2);
    EXPECT_EQ(least[4], -kInfinity);
    EXPECT_EQ(greatest[4], kInfinity);
  }
  EXPECT_TRUE(std::isnan(reduce<float>(Reduction::Max, ElementType::F32, {{1}, {kNan}, {2}, {3}})[0]));
  EXPECT_TRUE(std::isnan(reduce<double>(Reduction::Min, ElementType::F64, {{1}, {double(kNan)}, {2}})[0]));
}

TEST(Reduce, InOrderOfTheSources) {
  EXPECT_EQ(reduce<float>(Reduction::Sum, ElementType::F32, {{1e8f}, {1.25f}, {-1e8f}, {3.5f}})[0],
            ((1e8f + 1.25f) + -1e8f) + 3.5f);
  const std::vector<float> many(2000, 0.1f);
  EXPECT_EQ(reduce<float>(Reduction::Sum, ElementType::F32, {many, many, many, many})[1999],
            ((0.1f + 0.1f) + 0.1f) + 0.1f);
}

TEST(Reduce, SmallFloatsAreRoundedOnce) {
  // 2048 + 1 + 1 in f16: rounded after each step it would stay 2048.
  EXPECT_EQ(reduce<uint16_t>(Reduction::Sum, ElementType::F16,
                             {{Half::fromFloat(2048)}, {Half::fromFloat(1)}, {Half::fromFloat(1)}})[0],
            Half::fromFloat(2050));
  EXPECT_EQ(reduce<uint16_t>(Reduction::Sum, ElementType::BF16,
                             {{BFloat16::fromFloat(256)}, {BFloat16::fromFloat(1)}, {BFloat16::fromFloat(1)}})[0],
            BFloat16::fromFloat(258));
}

TEST(Reduce, TargetMayBeAnySource) {
  for (size_t place : {0, 1, 2}) {
    std::vector<std::vector<int32_t>> sources(3, std::vector<int32_t>(1500));
    for (int32_t i = 0; i < 1500; ++i)
      sources[0][i] = i, sources[1][i] = 10 * i, sources[2][i] = 100 * i;
    std::vector<const std::byte *> pointers;
    for (const auto &source : sources)
      pointers.push_back(reinterpret_cast<const std::byte *>(source.data()));
    reduceElements(Reduction::Sum, ElementType::I32, pointers, reinterpret_cast<std::byte *>(sources[place].data()),
                   1500);
    for (int32_t i = 0; i < 1500; ++i)
      ASSERT_EQ(sources[place][i], 111 * i);
  }
}

// Into several targets, of which each may be a source: of floats in every width, beyond a block, by 2 and 3 members.
TEST(Reduce, IntoTheSources) {
  constexpr uint64_t kCount = 1111;
  for (ElementType type :
       {ElementType::F32, ElementType::F64, ElementType::BF16, ElementType::F8E5M2, ElementType::I16})
    for (size_t members : {2, 3})
      for (Reduction reduction : {Reduction::Sum, Reduction::Max}) {
        const uint64_t bytes = kCount * byteSize(type);
        std::vector<std::vector<std::byte>> sources(members, std::vector<std::byte>(bytes));
        uint32_t number = 12345;
        for (std::vector<std::byte> &source : sources)
          for (std::byte &byte : source)
            byte = std::byte((number = number * 1664525 + 1013904223) >> 25); // positive, and small
        std::vector<const std::byte *> from;
        std::vector<std::byte *> to;
        for (std::vector<std::byte> &source : sources)
          from.push_back(source.data()), to.insert(to.begin(), source.data());
        std::vector<std::byte> wanted(bytes), apart(bytes);
        for (uint64_t i = 0; i < kCount; ++i) { // one element at a time
          std::vector<const std::byte *> one;
          for (const std::byte *source : from)
            one.push_back(source + i * byteSize(type));
          reduceElements(reduction, type, one, wanted.data() + i * byteSize(type), 1);
        }
        to.push_back(apart.data());
        if (members == 2) { // two of them
          std::vector<std::vector<std::byte>> kept = sources;
          reduceElements(reduction, type, from, std::span(to.data(), 2), kCount);
          EXPECT_EQ(sources[0], wanted) << spelling(type);
          EXPECT_EQ(sources[1], wanted) << spelling(type);
          for (size_t i = 0; i < members; ++i)
            std::ranges::copy(kept[i], sources[i].begin());
        }
        reduceElements(reduction, type, from, to, kCount);
        for (const std::vector<std::byte> &source : sources)
          EXPECT_EQ(source, wanted) << spelling(type) << " " << members;
        EXPECT_EQ(apart, wanted) << spelling(type);
      }
}

TEST(Reduce, WhatIsNotDefined) {
  EXPECT_FALSE(canReduce(Reduction::And, ElementType::F32));
  EXPECT_FALSE(canReduce(Reduction::Sum, ElementType::I1));
  EXPECT_FALSE(canReduce(Reduction::Sum, ElementType::I4));
  EXPECT_FALSE(canReduce(Reduction::Max, ElementType::F8E8M0FNU));
  EXPECT_FALSE(canReduce(Reduction::Sum, ElementType::None));
  EXPECT_TRUE(canReduce(Reduction::Min, ElementType::I1));
}

// The value of a code by the definition of such formats; NaN where it is none.
double valueOf(uint32_t code, int exponentBits, int mantissaBits, int bias) {
  const uint32_t exponent = code >> mantissaBits & ((1u << exponentBits) - 1),
                 mantissa = code & ((1u << mantissaBits) - 1);
  const double sign = code >> (exponentBits + mantissaBits) & 1 ? -1 : 1;
  return exponent ? sign * std::ldexp(double(mantissa + (1u << mantissaBits)), int(exponent) - bias - mantissaBits)
                  : sign * std::ldexp(double(mantissa), 1 - bias - mantissaBits);
}

// Every code is its value, and every value, and what lies between two, becomes the nearest code.
template <typename Format, typename Code>
void checkFormat(int exponentBits, int mantissaBits, int bias, const std::function<bool(uint32_t)> &isNan,
                 uint32_t last) {
  const uint32_t sign = 1u << (exponentBits + mantissaBits);
  for (uint32_t code = 0; code < 2 * sign; ++code) {
    if (isNan(code)) {
      EXPECT_TRUE(std::isnan(Format::toFloat(Code(code)))) << code;
      EXPECT_TRUE(std::isnan(Format::toFloat(Format::fromFloat(Format::toFloat(Code(code)))))) << code;
      continue;
    }
    if ((code & (sign - 1)) > last) // infinity
      continue;
    const double value = valueOf(code, exponentBits, mantissaBits, bias);
    ASSERT_EQ(Format::toFloat(Code(code)), value) << code;
    ASSERT_EQ(std::signbit(Format::toFloat(Code(code))), std::signbit(value)) << code;
    ASSERT_EQ(Format::fromFloat(float(value)), Code(code)) << code;
    if ((code & (sign - 1)) >= last)
      continue;
    const double middle = (value + valueOf(code + 1, exponentBits, mantissaBits, bias)) / 2;
    const float tie = float(middle), below = std::nextafterf(tie, 0), above = std::nextafterf(tie, 2 * tie);
    ASSERT_EQ(double(tie), middle);
    ASSERT_EQ(Format::fromFloat(tie), Code(code & 1 ? code + 1 : code)) << code;
    if (below != 0)
      ASSERT_EQ(Format::fromFloat(below), Code(code)) << code;
    ASSERT_EQ(Format::fromFloat(above), Code(code + 1)) << code;
  }
  EXPECT_TRUE(std::isnan(Format::toFloat(Format::fromFloat(kNan))));
}

TEST(SmallFloats, Formats) {
  const auto ieee = [](uint32_t infinity, uint32_t sign) {
    return [=](uint32_t code) { return (code & (sign - 1)) > infinity; };
  };
  checkFormat<Half, uint16_t>(5, 10, 15, ieee(0x7c00, 0x8000), 0x7bff);
  checkFormat<BFloat16, uint16_t>(8, 7, 127, ieee(0x7f80, 0x8000), 0x7f7f);
  checkFormat<F8E5M2, uint8_t>(5, 2, 15, ieee(0x7c, 0x80), 0x7b);
  checkFormat<F8E4M3FN, uint8_t>(4, 3, 7, [](uint32_t code) { return (code & 0x7f) == 0x7f; }, 0x7e);
  checkFormat<F8E4M3FNUZ, uint8_t>(4, 3, 8, [](uint32_t code) { return code == 0x80; }, 0x7f);
  checkFormat<F8E5M2FNUZ, uint8_t>(5, 2, 16, [](uint32_t code) { return code == 0x80; }, 0x7f);
}

TEST(SmallFloats, WhatIsTooLarge) {
  EXPECT_EQ(Half::fromFloat(65520), 0x7c00);
  EXPECT_EQ(Half::fromFloat(65519.9f), 0x7bff);
  EXPECT_EQ(Half::fromFloat(-kInfinity), 0xfc00);
  EXPECT_EQ(Half::toFloat(0xfc00), -kInfinity);
  EXPECT_EQ(F8E5M2::fromFloat(1e6f), 0x7c);
  EXPECT_EQ(F8E4M3FN::fromFloat(464), 0x7e); // a tie
  EXPECT_EQ(F8E4M3FN::fromFloat(465), 0x7f);
  EXPECT_EQ(F8E4M3FN::fromFloat(kInfinity), 0x7f);
  EXPECT_EQ(F8E4M3FNUZ::fromFloat(-1e9f), 0x80);
  EXPECT_EQ(F8E5M2FNUZ::fromFloat(-0.f), 0);
  EXPECT_EQ(BFloat16::fromFloat(3.4e38f), 0x7f80);
  EXPECT_EQ(BFloat16::toFloat(0xff80), -kInfinity);
}

} // namespace
} // namespace heddle::collectives
