// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/lib/Elements.h"

#include "tools/lib/Error.h"
#include "tools/lib/test/Expect.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace heddle::tools {
namespace {

using test::messageOf;

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(SmallFloats, KnownValues) {
  EXPECT_EQ(toHalf(1).bits, 0x3c00);
  EXPECT_EQ(toHalf(-2).bits, 0xc000);
  EXPECT_EQ(toHalf(65504).bits, 0x7bff); // the largest
  EXPECT_EQ(toHalf(65520).bits, 0x7c00); // half way to the next: even is infinity
  EXPECT_EQ(toHalf(65519.99).bits, 0x7bff);
  EXPECT_EQ(toHalf(0x1p-24).bits, 0x0001); // the smallest
  EXPECT_EQ(toHalf(0x1p-25).bits, 0x0000); // half of it: even is zero
  EXPECT_EQ(toHalf(0x1.8p-25).bits, 0x0001);
  EXPECT_EQ(toHalf(-0.0).bits, 0x8000);
  EXPECT_EQ(toHalf(1 + 0x1p-11).bits, 0x3c00); // ties to even
  EXPECT_EQ(toHalf(1 + 0x3p-11).bits, 0x3c02);
  EXPECT_EQ(toHalf(0x1.ffcp-15).bits, 0x0400 - 1 + 1); // rounds up into the normal numbers
  EXPECT_EQ(toBFloat16(1).bits, 0x3f80);
  EXPECT_EQ(toBFloat16(-kInf).bits, 0xff80);
  EXPECT_EQ(toBFloat16(3.3895313892515355e38).bits, 0x7f7f);
  EXPECT_EQ(toBFloat16(1 + 0x1p-8).bits, 0x3f80);
  EXPECT_EQ(toBFloat16(1 + 0x3p-8).bits, 0x3f82);
}

TEST(SmallFloats, EveryBitPatternSurvives) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    double half = toDouble(Half{static_cast<uint16_t>(bits)});
    double bf16 = toDouble(BFloat16{static_cast<uint16_t>(bits)});
    if (std::isnan(half))
      EXPECT_TRUE(std::isnan(toDouble(toHalf(half))));
    else
      ASSERT_EQ(toHalf(half).bits, bits);
    if (std::isnan(bf16))
      EXPECT_TRUE(std::isnan(toDouble(toBFloat16(bf16))));
    else {
      ASSERT_EQ(toBFloat16(bf16).bits, bits);
      ASSERT_EQ(std::bit_cast<uint32_t>(static_cast<float>(bf16)), bits << 16);
    }
  }
}

TEST(Elements, TextOfEverySmallFloatReadsBack) {
  for (ElementType type : {ElementType::F16, ElementType::BF16})
    for (uint32_t i = 0; i < 0x10000; i += 7) {
      uint16_t bits = static_cast<uint16_t>(i), back = 0;
      std::string text = formatElement(type, &bits);
      parseElement(type, text, &back);
      if (text != "nan")
        ASSERT_EQ(back, bits) << text;
    }
}

constexpr ElementType kSmallFloats[] = {ElementType::F8E4M3FN,   ElementType::F8E4M3FNUZ, ElementType::F8E5M2,
                                        ElementType::F8E5M2FNUZ, ElementType::F8E8M0FNU,  ElementType::F4E2M1FN};

TEST(SmallFloats, KnownCodes) {
  EXPECT_EQ(toDouble(ElementType::F8E4M3FN, 0x7e), 448);
  EXPECT_EQ(toDouble(ElementType::F8E4M3FN, 0x01), 0x1p-9);
  EXPECT_TRUE(std::isnan(toDouble(ElementType::F8E4M3FN, 0xff)));
  EXPECT_EQ(toDouble(ElementType::F8E4M3FNUZ, 0x7f), 240);
  EXPECT_TRUE(std::isnan(toDouble(ElementType::F8E4M3FNUZ, 0x80)));
  EXPECT_EQ(toDouble(ElementType::F8E5M2, 0x7b), 57344);
  EXPECT_EQ(toDouble(ElementType::F8E5M2, 0xfc), -kInf);
  EXPECT_TRUE(std::isnan(toDouble(ElementType::F8E5M2, 0x7d)));
  EXPECT_EQ(toDouble(ElementType::F8E5M2FNUZ, 0xff), -57344);
  EXPECT_EQ(toDouble(ElementType::F8E8M0FNU, 0), 0x1p-127);
  EXPECT_EQ(toDouble(ElementType::F8E8M0FNU, 0xfe), 0x1p127);
  EXPECT_EQ(toDouble(ElementType::F4E2M1FN, 0xf), -6);
  EXPECT_EQ(toDouble(ElementType::F4E2M1FN, 1), 0.5);
}

TEST(Elements, TextOfEveryCodeReadsBack) {
  for (ElementType type : kSmallFloats)
    for (int i = 0; i < (type == ElementType::F4E2M1FN ? 16 : 256); ++i) {
      uint8_t bits = static_cast<uint8_t>(i), back = 0;
      std::string text = formatElement(type, &bits);
      parseElement(type, text, &back);
      if (text == "nan")
        ASSERT_TRUE(std::isnan(toDouble(type, back))) << contract::spelling(type) << " " << i;
      else
        ASSERT_EQ(back, bits) << contract::spelling(type) << " " << text;
    }
}

TEST(Elements, ShortestText) {
  auto text = [](ElementType type, auto value) { return formatElement(type, &value); };
  EXPECT_EQ(text(ElementType::F32, 0.1f), "0.1");
  EXPECT_EQ(text(ElementType::F64, 0.1), "0.1");
  EXPECT_EQ(text(ElementType::F16, toHalf(0.1)), "0.1");
  EXPECT_EQ(text(ElementType::BF16, toBFloat16(3.14)), "3.14");
  EXPECT_EQ(text(ElementType::I8, int8_t{-128}), "-128");
  EXPECT_EQ(text(ElementType::U64, ~uint64_t{0}), "18446744073709551615");
  EXPECT_EQ(text(ElementType::I1, uint8_t{1}), "1");
  EXPECT_EQ(text(ElementType::F32, -std::numeric_limits<float>::infinity()), "-inf");
}

template <typename T> T parsed(ElementType type, std::string_view text) {
  T out;
  parseElement(type, text, &out);
  return out;
}

TEST(Elements, Limits) {
  EXPECT_EQ(parsed<int8_t>(ElementType::I8, "-128"), -128);
  EXPECT_EQ(parsed<int64_t>(ElementType::I64, "-9223372036854775808"), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(parsed<uint64_t>(ElementType::U64, "18446744073709551615"), ~uint64_t{0});
  EXPECT_EQ(parsed<uint8_t>(ElementType::U8, "0xff"), 255);
  EXPECT_EQ(parsed<uint8_t>(ElementType::I1, "true"), 1);
  EXPECT_EQ(parsed<float>(ElementType::F32, "+1.5"), 1.5f);
  EXPECT_EQ(parsed<float>(ElementType::F32, "1e-60"), 0.0f);
  EXPECT_EQ(parsed<float>(ElementType::F32, "-inf"), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(parsed<float>(ElementType::F32, "1e-45"), std::numeric_limits<float>::denorm_min());
  EXPECT_TRUE(std::isnan(parsed<double>(ElementType::F64, "nan")));
  EXPECT_EQ(parsed<int8_t>(ElementType::I4, "-8"), -8);
  EXPECT_EQ(parsed<uint8_t>(ElementType::U2, "3"), 3);
  EXPECT_EQ(parsed<uint8_t>(ElementType::F8E4M3FN, "464"), 0x7e); // half way to 480, which is NaN: even
  EXPECT_EQ(parsed<uint8_t>(ElementType::F8E4M3FNUZ, "-0"), 0);
  EXPECT_EQ(parsed<uint8_t>(ElementType::F8E8M0FNU, "3"), 129); // half way: up
}

TEST(Elements, Refused) {
  auto refusal = [](ElementType type, std::string_view text) {
    return messageOf<UsageError>([&] {
      std::byte ignored[8];
      parseElement(type, text, ignored);
    });
  };
  EXPECT_EQ(refusal(ElementType::I8, "128"), "'128' does not fit i8 (-128 to 127)");
  EXPECT_EQ(refusal(ElementType::U8, "-1"), "'-1' does not fit ui8 (0 to 255)");
  EXPECT_EQ(refusal(ElementType::I64, "9223372036854775808"),
            "'9223372036854775808' does not fit i64 (-9223372036854775808 to 9223372036854775807)");
  EXPECT_EQ(refusal(ElementType::I32, "1.5"), "'1.5' is not a value of type i32");
  EXPECT_EQ(refusal(ElementType::I32, ""), "'' is not a value of type i32");
  EXPECT_EQ(refusal(ElementType::I32, "0x"), "'0x' is not a value of type i32");
  EXPECT_EQ(refusal(ElementType::I1, "2"), "'2' is not a value of type i1 (0, 1, true, false)");
  EXPECT_EQ(refusal(ElementType::F32, "1e39"), "'1e39' is too large for f32; write inf for infinity");
  EXPECT_EQ(refusal(ElementType::F16, "65520"), "'65520' is too large for f16; write inf for infinity");
  EXPECT_EQ(refusal(ElementType::F64, "1x"), "'1x' is not a value of type f64");
  EXPECT_EQ(refusal(ElementType::I4, "8"), "'8' does not fit i4 (-8 to 7)");
  EXPECT_EQ(refusal(ElementType::U2, "-1"), "'-1' does not fit ui2 (0 to 3)");
  EXPECT_EQ(refusal(ElementType::F8E4M3FN, "465"), "'465' is not a value of f8E4M3FN: it is too large");
  EXPECT_EQ(refusal(ElementType::F8E4M3FN, "inf"), "'inf' is not a value of f8E4M3FN: it has no infinity");
  EXPECT_EQ(refusal(ElementType::F4E2M1FN, "nan"), "'nan' is not a value of f4E2M1FN: it has no NaN");
  EXPECT_EQ(refusal(ElementType::F4E2M1FN, "7"), "'7' is not a value of f4E2M1FN: it is too large");
  EXPECT_EQ(refusal(ElementType::F8E8M0FNU, "-1"), "'-1' is not a value of f8E8M0FNU: it has no sign");
}

} // namespace
} // namespace heddle::tools
