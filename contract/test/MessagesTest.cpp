// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heddle/contract/Quantities.h"
#include "heddle/contract/Suggest.h"

#include <gtest/gtest.h>

using namespace heddle::contract;

// The same cases stand in bindings/python/test/test_suggest.py.
TEST(Suggest, Near) {
  const std::vector<std::string> names{"run", "compile", "--device", "memory", "f32", "x86-64-v3", "a"};
  auto nearest = [&](std::string_view word) { return didYouMean(word, names); };
  EXPECT_EQ(nearest("rnu"), "; did you mean 'run'?"); // neighbours swapped are one typo
  EXPECT_EQ(nearest("complie"), "; did you mean 'compile'?");
  EXPECT_EQ(nearest("COMPILE"), "; did you mean 'compile'?");
  EXPECT_EQ(nearest("--devcie"), "; did you mean '--device'?");
  EXPECT_EQ(nearest("memry"), "; did you mean 'memory'?");
  EXPECT_EQ(nearest("mry"), "");
  EXPECT_EQ(nearest("f23"), "; did you mean 'f32'?");
  EXPECT_EQ(nearest("x86-64-v33"), "; did you mean 'x86-64-v3'?");
  EXPECT_EQ(nearest("aa"), "; did you mean 'a'?");
}

TEST(Suggest, Far) {
  const std::vector<std::string> names{"run", "compile", "a", std::string(201, 'x')};
  for (std::string_view word : {"", "walk", "decompiler-of-all", "b"})
    EXPECT_EQ(didYouMean(word, names), "") << word;
  EXPECT_EQ(didYouMean(std::string(201, 'x'), names), "");
  EXPECT_EQ(didYouMean("run", std::vector<std::string>()), "");
}

TEST(Suggest, FirstOfEquals) {
  EXPECT_EQ(didYouMean("gpu", std::vector<std::string_view>{"gpv", "gpw"}), "; did you mean 'gpv'?");
}

TEST(Quantities, Bytes) {
  EXPECT_EQ(formatBytes(0), "0 B");
  EXPECT_EQ(formatBytes(1023), "1023 B");
  EXPECT_EQ(formatBytes(1024), "1.0 KiB");
  EXPECT_EQ(formatBytes((1 << 20) - 1), "1.0 MiB"); // not 1024.0 KiB
  EXPECT_EQ(formatBytes(3u << 19), "1.5 MiB");
  EXPECT_EQ(formatBytes(uint64_t{1} << 31), "2.0 GiB");
  EXPECT_EQ(formatBytes(uint64_t{3} << 40), "3.0 TiB");
  EXPECT_EQ(formatBytes(UINT64_MAX), "16777216.0 TiB");
}

TEST(Quantities, Counts) {
  EXPECT_EQ(formatCount(1, "op"), "1 op");
  EXPECT_EQ(formatCount(0, "dispatch"), "0 dispatches");
  EXPECT_EQ(formatCount(2, "transfer"), "2 transfers");
}
