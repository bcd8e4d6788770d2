// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/lib/Characters.h"

#include <gtest/gtest.h>

using heddle::tools::beginningOf;

TEST(Characters, AreNeverCut) {
  EXPECT_EQ(beginningOf("", 3), "");
  EXPECT_EQ(beginningOf("abc", 3), "abc");
  EXPECT_EQ(beginningOf("abcd", 3), "abc");
  EXPECT_EQ(beginningOf("a\u00e9b", 2), "a");
  EXPECT_EQ(beginningOf("a\u00e9b", 3), "a\u00e9");
  EXPECT_EQ(beginningOf("\u20acb", 1), "\u20ac") << "one at least";
  EXPECT_EQ(beginningOf("\xc3", 1), "\xc3");
  EXPECT_EQ(beginningOf("\x80\x80\x80\x80\x80\x80", 1), "\x80\x80\x80\x80") << "no text without an end";
}
