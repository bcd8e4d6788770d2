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
  EXPECT_TRUE(rules[0].glob.match("encoder/layer.0/MatMul"));
  EXPECT_FALSE(rules[0].glob.match("decoder/encoder/x"));
  EXPECT_EQ(rules[1].pattern, "a=b/??");
  EXPECT_TRUE(rules[1].glob.match("a=b/12"));
  EXPECT_FALSE(rules[1].glob.match("a=b/1"));
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
  EXPECT_EQ(errorOf("a ="), "1: expected 'pattern = device', such as 'encoder/* = gpu', got 'a ='");
  EXPECT_EQ(errorOf("[a = gpu").substr(0, 23), "1: '[a' is no pattern: ");
}

} // namespace
