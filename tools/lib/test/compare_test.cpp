// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/lib/Compare.h"

#include "tools/lib/ValueSyntax.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heddle::tools {
namespace {

std::string difference(const char *got, const char *expected, Tolerance tolerance = {}) {
  HostTensor g = parseValue(got), e = parseValue(expected);
  return describeDifference(g.view(), e.view(), tolerance).value_or("same");
}

TEST(Compare, Exact) {
  EXPECT_EQ(difference("2xi32=1,2", "2xi32=1,2"), "same");
  EXPECT_EQ(difference("2x3xi32=1,2,3,4,5,6", "2x3xi32=1,2,4,4,5,9"),
            "2 of 6 elements differ; first at [0, 2]: got 3, expected 4; worst at [1, 2]: got 6, expected 9 (error 3, "
            "allowed 0 + 0 × |expected|)");
  EXPECT_EQ(difference("i1=1", "i1=0"), "1 of 1 elements differ; first at []: got 1, expected 0; worst at []: got 1, "
                                        "expected 0 (error 1, allowed 0 + 0 × |expected|)");
  // Neighbours that are one value as doubles.
  EXPECT_NE(difference("i64=9007199254740993", "i64=9007199254740992"), "same");
  EXPECT_NE(difference("ui64=18446744073709551615", "ui64=0", {1e19, 0}), "same");
}

TEST(Compare, NotANumberAndInfinity) {
  EXPECT_EQ(difference("3xf32=nan,inf,-inf", "3xf32=nan,inf,-inf"), "same");
  EXPECT_EQ(difference("f32=-0", "f32=0"), "same");
  for (const char *expected : {"f32=nan", "f32=-inf", "f32=3"})
    EXPECT_NE(difference("f32=inf", expected, {1e30, 1e30}), "same") << expected;
  EXPECT_NE(difference("f16=nan", "f16=1", {1, 1}), "same");
}

TEST(Compare, Tolerances) {
  EXPECT_EQ(difference("f32=1.1", "f32=1", {0.11, 0}), "same");
  EXPECT_NE(difference("f32=1.1", "f32=1", {0.09, 0}), "same");
  EXPECT_EQ(difference("f64=110", "f64=100", {0, 0.1}), "same");
  EXPECT_NE(difference("f64=100", "f64=110", {0, 0.09}), "same"); // relative to what is expected
  EXPECT_EQ(difference("i32=7", "i32=9", {2, 0}), "same");
  EXPECT_EQ(difference("bf16=1", "bf16=1.0078125", {0.01, 0}), "same");
  EXPECT_NE(difference("f32=1", "f32=2", {std::nan(""), 0}), "same");
}

TEST(Compare, TypesAndSizes) {
  EXPECT_EQ(difference("2x1xf32=1", "1x2xf32=1"), "got 2x1xf32, expected 1x2xf32");
  EXPECT_EQ(difference("f32=1", "1xf32=1"), "got f32, expected 1xf32");
  EXPECT_EQ(difference("i32=1", "ui32=1"), "got i32, expected ui32");
  EXPECT_EQ(difference("0xf32=", "0xf32="), "same");
}

TEST(Compare, WorstErrorOfAgreeingValues) {
  HostTensor got = parseValue("3xf32=1,2.5,3"), expected = parseValue("3xf32=1,2,3.25");
  Comparison result = compare(got.view(), expected.view(), {1, 0});
  EXPECT_EQ(result.different, 0);
  EXPECT_EQ(result.first, -1);
  EXPECT_EQ(result.worst, 1);
  EXPECT_EQ(result.worstError, 0.5);
  EXPECT_EQ(compare(got.view(), got.view(), {}).worst, -1);
}

} // namespace
} // namespace heddle::tools
