// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heddle/contract/Text.h"

#include <gtest/gtest.h>

using namespace heddle::contract;

TEST(Text, LettersStay) {
  EXPECT_EQ(showText(""), "");
  EXPECT_EQ(showText("conv/1:0 gr\u00fc\u00dfe \u4f60\u597d \U0001f600"),
            "conv/1:0 gr\u00fc\u00dfe \u4f60\u597d \U0001f600");
}

TEST(Text, ControlsAreShown) {
  EXPECT_EQ(showText("\x1b]0;title\x07"), "\\x1b]0;title\\x07");
  EXPECT_EQ(showText(std::string_view("a\0b\x7f", 4)), "a\\x00b\\x7f");
  EXPECT_EQ(showText("a\rb"), "a\\x0db");
  EXPECT_EQ(showText("c1 \u009b31m"), "c1 \\u{9b}31m");
}

TEST(Text, NewlinesOfATextAndOfAName) {
  EXPECT_EQ(showText("a\n\tb"), "a\n\tb");
  EXPECT_EQ(showText("a\n\tb", Lines::One), "a\\n\\x09b");
}

TEST(Text, OrderOfLettersIsNotTurned) {
  EXPECT_EQ(showText("x\u202egnp.exe\u2066\u200f"), "x\\u{202e}gnp.exe\\u{2066}\\u{200f}");
  EXPECT_EQ(showText("a\u2028b"), "a\\u{2028}b");
}

TEST(Text, BytesThatAreNoLetters) {
  EXPECT_EQ(showText("\x9b\xff"), "\\x9b\\xff");
  EXPECT_EQ(showText("\xc0\x9b"), "\\xc0\\x9b");          // overlong
  EXPECT_EQ(showText("\xed\xa0\x80"), "\\xed\\xa0\\x80"); // a surrogate
  EXPECT_EQ(showText("\xe4\xbd"), "\\xe4\\xbd");          // cut off
}
