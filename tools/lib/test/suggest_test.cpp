// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/lib/Suggest.h"

#include <gtest/gtest.h>

#include <vector>

namespace heddle::tools {
namespace {

const std::vector<std::string> kVerbs = {"bench", "check", "compile", "devices", "inspect", "run"};

TEST(Suggest, Lists) {
  EXPECT_EQ(quotedList({}), "none");
  EXPECT_EQ(quotedList(kVerbs, 2), "'bench', 'check', … (4 more)");
  EXPECT_EQ(quotedList(std::vector<std::string>{"a"}), "'a'");
}

} // namespace
} // namespace heddle::tools
