// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/lib/ValueSyntax.h"

#include "tools/lib/Error.h"
#include "tools/lib/Print.h"
#include "tools/lib/test/Expect.h"

namespace heddle::tools {
namespace {

using test::messageOf;

std::string reprint(std::string_view value) { return formatTensor(parseValue(value).view()); }
std::string refusal(std::string_view value) {
  return messageOf<UsageError>([&] { parseValue(value); });
}

TEST(ValueSyntax, Values) {
  EXPECT_EQ(reprint("2x3xf32=1,2,3,4,5,6"), "2x3xf32=[[1 2 3][4 5 6]]");
  EXPECT_EQ(reprint("4xi32=7"), "4xi32=[7 7 7 7]");
  EXPECT_EQ(reprint("f32=1"), "f32=1");
  EXPECT_EQ(reprint("2xf16=0.1, -2"), "2xf16=[0.1 -2]");
  EXPECT_EQ(reprint("3xbf16=1 2 inf"), "3xbf16=[1 2 inf]");
  EXPECT_EQ(reprint("2x2xi1=1,0,true,false"), "2x2xi1=[[1 0][1 0]]");
  EXPECT_EQ(reprint("2xui64=18446744073709551615"), "2xui64=[18446744073709551615 18446744073709551615]");
  EXPECT_EQ(reprint("0x4xf64="), "0x4xf64=");
  EXPECT_EQ(reprint("1x1xi8=[[5]]"), "1x1xi8=[[5]]");
  EXPECT_EQ(reprint("2x1x2xi16=[[[1,2]],[[3,4]]]"), "2x1x2xi16=[[[1 2]][[3 4]]]");
}

TEST(ValueSyntax, WhatIsPrintedIsAValue) {
  for (const char *value : {"2x3xf32=[[1 2 3][4 5 6]]", "f64=-0.5", "3x1xui8=[[1][2][3]]", "3xf8E4M3FN=[1.5 -0.1 nan]",
                            "2xi4=[-8 7]", "2x0xi32="})
    EXPECT_EQ(reprint(value), value);
}

TEST(ValueSyntax, Refused) {
  EXPECT_EQ(refusal("2x3xf32=1,2"), "value '2x3xf32=1,2': 2x3xf32 has 6 elements (one value fills all of them), got 2");
  EXPECT_EQ(refusal("f32=1,2"), "value 'f32=1,2': f32 has 1 element, got 2");
  EXPECT_EQ(refusal("2xf32="), "value '2xf32=': 2xf32 has 2 elements (one value fills all of them), got 0");
  EXPECT_EQ(refusal("0xf32=1"), "value '0xf32=1': 0xf32 has 0 elements, got 1");
  EXPECT_EQ(refusal("2xf32=1,,2"), "value '2xf32=1,,2': '' is not a value of type f32");
  EXPECT_EQ(refusal("2xf23=1"), "value '2xf23=1': 'f23' is not an element type; did you mean 'f32'?");
  EXPECT_EQ(refusal("2xquux=1"),
            "value '2xquux=1': 'quux' is not an element type; they are 'i1', 'i8', 'i16', 'i32', 'i64', 'ui8', "
            "'ui16', 'ui32', 'ui64', 'f16', 'bf16', 'f32', 'f64', 'f8E4M3FN', 'f8E4M3FNUZ', 'f8E5M2', 'f8E5M2FNUZ', "
            "'f8E8M0FNU', 'f4E2M1FN', 'i4', 'ui4', 'i2', 'ui2'");
  EXPECT_EQ(refusal("2=1"), "value '2=1': 'x' and an element type are missing after size 2");
  EXPECT_EQ(refusal("2xf32"), "value '2xf32': '=' and elements are missing after the type");
  EXPECT_EQ(refusal("2x2xf32=[[1 2][3]]"), "value '2x2xf32=[[1 2][3]]': '' is not a value of type f32");
  EXPECT_EQ(refusal("2xf32=[1 2 3]"), "value '2xf32=[1 2 3]': ']' expected after 2 parts of dimension 0 before '3]'");
  EXPECT_EQ(refusal("2xf32=[1 2]]"), "value '2xf32=[1 2]]': ']' follows the last ']'");
  EXPECT_EQ(refusal("2xf32=[[1]]"), "value '2xf32=[[1]]': brackets are nested deeper than the 1 dimensions of 2xf32");
  EXPECT_EQ(refusal("2xf32=1]"), "value '2xf32=1]': ']' without a '[' at the beginning");
  EXPECT_EQ(refusal("99999999999999999999xf32=1"),
            "value '99999999999999999999xf32=1': the size in '99999999999999999999xf32' is too large");
  EXPECT_EQ(refusal("1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xi8=1"),
            "value '1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xi8=1': a tensor has at most 16 dimensions, got 17");
}

TEST(ValueSyntax, ListTooShortForItsType) {
  for (std::string list : {"[1", "1,2", "1 2", "", " "})
    EXPECT_EQ(refusal("2000000000xf32=" + list),
              "value '2000000000xf32=" + list +
                  "': 2000000000xf32 has 2000000000 elements (one value fills all of them), the text has room for " +
                  std::to_string(list.size()) + " at most");
  EXPECT_EQ(reprint("2000000xi8= 7 ").substr(0, 16), "2000000xi8=[7 7 ");
}

TEST(ValueSyntax, TooLargeForTheMachine) {
  for (const char *value : {"4611686018427387904x4xf32=1", "1000000000000xf64=0"})
    EXPECT_NE(messageOf<Failure>([&] { parseValue(value); }).find("needs more memory than this machine has"),
              std::string::npos);
}

TEST(ValueSyntax, Names) {
  auto split = [](std::string_view text) {
    NamedValue out = splitName(text);
    return out.name + "|" + out.value;
  };
  EXPECT_EQ(split("f32=1"), "|f32=1");
  EXPECT_EQ(split("x=f32=1"), "x|f32=1");
  EXPECT_EQ(split("f32=2xf32=1,2"), "f32|2xf32=1,2"); // an input that is called f32
  EXPECT_EQ(split("ids=@a=b.npy"), "ids|@a=b.npy");
  EXPECT_EQ(split("@a=b.npy"), "|@a=b.npy");
  EXPECT_EQ(split("2xf32=@raw.bin"), "|2xf32=@raw.bin");
  EXPECT_EQ(split("a=b=2xi8=1"), "a=b|2xi8=1");
  EXPECT_EQ(split("input:0/x=4xi32=7"), "input:0/x|4xi32=7");
  EXPECT_EQ(messageOf<UsageError>([] { splitName("x=2xf23=1"); }),
            "value 'x=2xf23=1': 'f23' is not an element type; did you mean 'f32'?; write 2x3xf32=1,2,3,4,5,6 or "
            "4xi32=7 or @file.npy or 2xf32=@raw.bin, with NAME= in front if wanted");
}

TEST(ValueSyntax, RawFile) {
  test::TemporaryFolder folder;
  std::string path = folder.write("raw.bin", std::string("\0\0\x80\x3f\0\0\0\x40", 8));
  EXPECT_EQ(reprint("2xf32=@" + path), "2xf32=[1 2]");
  EXPECT_EQ(messageOf<Failure>([&] { parseValue("3xf32=@" + path); }),
            "'" + path + "': 3xf32 has 12 bytes, the file has 8");
  EXPECT_EQ(messageOf<Failure>([&] { parseValue("2000000000xf64=@" + path); }),
            "'" + path + "': 2000000000xf64 has 16000000000 bytes, the file has 8");
  EXPECT_EQ(messageOf<Failure>([&] { parseValue("3xf32=@" + folder.path("none")); }),
            "cannot read '" + folder.path("none") + "': No such file or directory");
}

} // namespace
} // namespace heddle::tools
