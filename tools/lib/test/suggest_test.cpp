// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/lib/Suggest.h"

#include <gtest/gtest.h>

#include <vector>

namespace heddle::tools {
namespace {

const std::vector<std::string> kVerbs = {"bench", "check", "compile", "devices", "inspect", "run"};

TEST(Suggest, Nearest) {
  EXPECT_EQ(didYouMean("complie", kVerbs), "; did you mean 'compile'?");
  EXPECT_EQ(didYouMean("Run", kVerbs), "; did you mean 'run'?");
  EXPECT_EQ(didYouMean("rnu", kVerbs), "; did you mean 'run'?");
  EXPECT_EQ(didYouMean("device", kVerbs), "; did you mean 'devices'?");
  EXPECT_EQ(didYouMean("inspekt", kVerbs), "; did you mean 'inspect'?");
}

TEST(Suggest, NothingNear) {
  EXPECT_EQ(didYouMean("frobnicate", kVerbs), "");
  EXPECT_EQ(didYouMean("", kVerbs), "");
  EXPECT_EQ(didYouMean("run", {}), "");
}

TEST(Suggest, Lists) {
  EXPECT_EQ(quotedList({}), "none");
  EXPECT_EQ(quotedList(kVerbs, 2), "'bench', 'check', … (4 more)");
  EXPECT_EQ(quotedList(std::vector<std::string>{"a"}), "'a'");
}

} // namespace
} // namespace heddle::tools
