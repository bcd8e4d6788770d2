// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/load/ParallelFor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

using namespace heddle;

namespace {

TEST(ParallelFor, EachIndexOnce) {
  for (size_t count : {0u, 1u, 2u, 1000u}) {
    std::vector<std::atomic<int>> calls(count);
    forEachInParallel(count, [&](size_t i) { ++calls[i]; });
    for (auto &times : calls)
      EXPECT_EQ(times, 1);
  }
}

TEST(ParallelFor, NestedCallsEnd) {
  std::atomic<int> calls{0};
  forEachInParallel(4, [&](size_t) { forEachInParallel(4, [&](size_t) { ++calls; }); });
  EXPECT_EQ(calls, 16);
}

} // namespace
