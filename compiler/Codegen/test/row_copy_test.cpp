// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions whose rows are copied to scratch once for all tiles of columns of a block, since they share sets of the
// first-level cache: calls begin anywhere in a block and come in any order.
#include "compiler/Codegen/test/ConvForms.h"
#include "compiler/Codegen/test/Dispatches.h"
#include "compiler/Codegen/test/KernelHarness.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace heddle::test;

namespace {

void fill(std::span<float> values, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (float &x : values)
    x = uniform(random);
}

// All workgroups, the last ones first, in calls of a few.
void runBackwards(const CompiledKernel &kernel, const std::vector<void *> &bindings,
                  const std::vector<int64_t> &constants, int64_t few) {
  HeddleKernelState state{bindings.data(), constants.data()};
  GuardedArray scratch((kernel.scratchBytes(constants) + 63) / 64 * 64);
  for (int64_t end = kernel.workgroups(constants); end > 0; end -= few) {
    std::ranges::fill(scratch.as<float>(), NAN);
    ASSERT_EQ(kernel.entry()(&state, std::max<int64_t>(end - few, 0), end, scratch.data()), 0);
  }
}

// Of rows of k elements by columns in panels, through `epilogue`.
void check(const CompiledKernel &kernel, const std::vector<int64_t> &constants, int64_t m, int64_t k, int64_t n,
           int64_t few, double (*epilogue)(double), bool areCopied = true) {
  ASSERT_EQ(kernel.error(), "");
  EXPECT_EQ(kernel.scratchBytes(constants) >= 17 * k * 4, areCopied);
  GuardedArray a(m * k * 4), b((n + 15) / 16 * k * 64), c(m * n * 4);
  fill(a.as<float>(), 1);
  fill(b.as<float>(), 2);
  runBackwards(kernel, {a.data(), b.data(), c.data()}, constants, few);
  auto rows = a.as<float>(), columns = b.as<float>(), result = c.as<float>();
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = i % 5; j < n; j += 5) {
      double sum = 0;
      for (int64_t p = 0; p < k; ++p)
        sum += double(rows[i * k + p]) * columns[(j / 16 * k + p) * 16 + j % 16];
      ASSERT_NEAR(result[i * n + j], epilogue(sum), 1e-6 * k) << m << "x" << k << "x" << n << ": " << i << ", " << j;
    }
}

} // namespace

TEST(RowCopy, Products) {
  if (!runsHere("x86-64-v4"))
    GTEST_SKIP() << "this processor is no x86-64-v4";
  for (auto [m, k, n, few] : {std::tuple{150, 1024, 256, 1000},
                              {150, 1024, 260, 1},
                              {67, 2048, 300, 2},
                              {140, 1023, 256, 3}}) // the last just below a power of two
    check(CompiledKernel(gemmText(m, k, n, 16), "x86-64-v4"), {}, m, k, n, few, [](double sum) { return sum; });
}

TEST(RowCopy, RowsOfSeveralDimensions) {
  if (!runsHere("x86-64-v4"))
    GTEST_SKIP() << "this processor is no x86-64-v4";
  ConvForm form{.channels = 1024, .filters = 256};
  form.batch = 2, form.output = {5, 17}, form.kernel = form.stride = form.dilation = {1, 1}, form.panel = 16;
  for (bool dynamic : {false, true}) {
    form.dynamic = dynamic;
    // A tile of rows whose number is free has so few that they stay in the cache.
    check(
        CompiledKernel(form.text(), "x86-64-v4"), form.constants(), 2 * 5 * 17, 1024, 256, 2,
        [](double sum) { return std::max(sum, 0.0); }, !dynamic);
  }
}

// Bytes that are shifted to unsigned ones on their way.
TEST(RowCopy, Integers) {
  constexpr int64_t m = 150, k = 52, n = 70;
  for (const char *cpu : {"cascadelake", "x86-64-v4", "x86-64-v3"}) {
    if (!runsHere(cpu))
      continue;
    CompiledKernel kernel(integerMatmulText(n, k, true, true, IntegerColumns::Grouped), cpu);
    ASSERT_EQ(kernel.error(), "");
    GuardedArray a(m * k), b((n + 15) / 16 * (k / 4) * 64), c(m * n * 4);
    std::mt19937 random(3);
    for (const GuardedArray *array : {&a, &b})
      for (int8_t &byte : array->as<int8_t>())
        byte = static_cast<int8_t>(random());
    runBackwards(kernel, {a.data(), b.data(), c.data()}, {m}, 1);
    auto rows = a.as<int8_t>(), columns = b.as<int8_t>();
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        int32_t sum = 0;
        for (int64_t p = 0; p < k; ++p)
          sum += rows[i * k + p] * columns[((j / 16 * (k / 4) + p / 4) * 16 + j % 16) * 4 + p % 4];
        ASSERT_EQ(c.as<int32_t>()[i * n + j], 3 * sum + 1) << cpu << " at " << i << ", " << j;
      }
  }
}
