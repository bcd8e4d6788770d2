// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/lib/Print.h"

#include "tools/lib/ValueSyntax.h"

#include <gtest/gtest.h>

namespace heddle::tools {
namespace {

TEST(Print, LongDimensionsAreElided) {
  HostTensor tensor = parseValue("8x2xi32=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15");
  EXPECT_EQ(formatTensor(tensor.view(), 4), "8x2xi32=[[0 1][2 3][4 5]...[10 11][12 13][14 15]]");
  HostTensor row = parseValue("7xi32=0,1,2,3,4,5,6");
  EXPECT_EQ(formatTensor(row.view(), 4), "7xi32=[0 1 2 ... 4 5 6]");
  EXPECT_EQ(formatTensor(row.view(), 7), "7xi32=[0 1 2 3 4 5 6]");
  EXPECT_EQ(formatTensor(parseValue("6xi32=1").view(), 4), "6xi32=[1 1 1 1 1 1]");
}

TEST(Print, Index) {
  int64_t dims[] = {2, 3, 4};
  EXPECT_EQ(formatIndex(0, dims), "[0, 0, 0]");
  EXPECT_EQ(formatIndex(23, dims), "[1, 2, 3]");
  EXPECT_EQ(formatIndex(5, dims), "[0, 1, 1]");
  EXPECT_EQ(formatIndex(0, {}), "[]");
}

TEST(Print, Types) {
  int64_t dims[] = {-1, 3};
  EXPECT_EQ(formatType(ElementType::F32, dims), "?x3xf32");
  EXPECT_EQ(formatType(ElementType::U8, {}), "ui8");
}

TEST(Print, Counts) {
  int64_t huge[] = {int64_t{1} << 40, int64_t{1} << 40}, empty[] = {int64_t{1} << 40, int64_t{1} << 40, 0};
  EXPECT_EQ(elementCount(huge), -1);
  EXPECT_EQ(elementCount(empty), 0);
  EXPECT_EQ(elementCount({}), 1);
}

} // namespace
} // namespace heddle::tools
