// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Devices/PlaceFile.h"

#include <gtest/gtest.h>

using namespace mlir::heddle;

namespace {

TEST(PlaceFile, Rules) {
  std::vector<PlaceRule> rules;
  std::string error;
  ASSERT_TRUE(parsePlaceFile("# all of it\n\n encoder/* = @gpu \na=b/?? = cpu", rules, error)) << error;
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(rules[0].pattern, "encoder/*");
  EXPECT_EQ(rules[0].device, "gpu");
  EXPECT_EQ(rules[0].line, 3u);
  EXPECT_TRUE(rules[0].fits("encoder/layer.0/MatMul"));
  EXPECT_FALSE(rules[0].fits("decoder/encoder/x"));
  EXPECT_EQ(rules[1].pattern, "a=b/??");
  EXPECT_TRUE(rules[1].fits("a=b/12"));
  EXPECT_FALSE(rules[1].fits("a=b/1"));
}

TEST(PlaceFile, Streams) {
  std::vector<PlaceRule> rules;
  std::string error;
  ASSERT_TRUE(parsePlaceFile("a=b/* = stream(0, 4, parts = 7), stream( reduced 0, ? )", rules, error)) << error;
  ASSERT_EQ(rules.size(), 1u);
  EXPECT_EQ(rules[0].pattern, "a=b/*");
  EXPECT_EQ(rules[0].device, "");
  EXPECT_EQ(rules[0].streams, (std::vector<std::string>{"0, 4, parts = 7", "reduced 0, ?"}));
}

bool fits(llvm::StringRef pattern, llvm::StringRef name) { return PlaceRule{pattern.str(), "gpu", 1}.fits(name); }

TEST(PlaceFile, OnlyStarAndQuestionMarkAreSpecial) {
  for (const char *name : {"l[0]/exp", "l{1}/neg", "a\\b", "[^x]", "a.b+c", "{a,b}", "[", "]", "}"})
    EXPECT_TRUE(fits(name, name)) << name;
  EXPECT_TRUE(fits("l[0]/*", "l[0]/exp"));
  EXPECT_FALSE(fits("l[0]/*", "l0/exp"));
  EXPECT_FALSE(fits("{a,b}", "a"));
  EXPECT_FALSE(fits("a\\*", "a*"));
  EXPECT_TRUE(fits("a\\*", "a\\b"));
}

TEST(PlaceFile, Stars) {
  EXPECT_TRUE(fits("*", ""));
  EXPECT_TRUE(fits("**a**", "a"));
  EXPECT_TRUE(fits("*ab*ab", "abab"));
  EXPECT_TRUE(fits("*ab", "aab"));
  EXPECT_FALSE(fits("*ab", "aba"));
  EXPECT_TRUE(fits("a*b*c", "axbxbxc"));
  EXPECT_FALSE(fits("a*b*c", "axbxbx"));
  EXPECT_FALSE(fits("", "a"));
  EXPECT_FALSE(fits("a", ""));
  EXPECT_TRUE(fits("?", "\u00e9")) << "one character, two bytes";
  EXPECT_FALSE(fits("?", "ab"));
  // In time that is the product of the lengths, not a power of one.
  EXPECT_FALSE(fits(std::string(100, '*') + std::string(40, 'a').replace(0, 40, "*a*a*a*a*a*a*a*a*a*a*a*a*a*b"),
                    std::string(10000, 'a')));
}

std::string errorOf(const char *text) {
  std::vector<PlaceRule> rules;
  std::string error;
  return parsePlaceFile(text, rules, error) ? "none" : error;
}

TEST(PlaceFile, ErrorsNameTheLine) {
  EXPECT_EQ(errorOf("a = b\nencoder gpu"),
            "2: expected 'pattern = device', such as 'encoder/* = gpu', got 'encoder gpu'");
  EXPECT_EQ(errorOf("= gpu"), "1: expected 'pattern = device', such as 'encoder/* = gpu', got '= gpu'");
  EXPECT_EQ(errorOf("a = stream(0, 4) gpu"), "1: expected 'pattern = stream(AXIS, STREAMS)', such as 'encoder/mm = "
                                             "stream(0, 4)', got 'a = stream(0, 4) gpu'");
  EXPECT_EQ(errorOf("a = stream(0, 4"), "1: expected 'pattern = stream(AXIS, STREAMS)', such as 'encoder/mm = "
                                        "stream(0, 4)', got 'a = stream(0, 4'");
  EXPECT_EQ(errorOf("a ="), "1: expected 'pattern = device', such as 'encoder/* = gpu', got 'a ='");
}

} // namespace
