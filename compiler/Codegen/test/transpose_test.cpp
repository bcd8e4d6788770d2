// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Squares turned in registers, results written past the caches, divisions by what is the same for a row.
#include "compiler/Codegen/test/CpuTest.h"
#include "compiler/Codegen/test/KernelHarness.h"
#include "compiler/Codegen/test/RowDispatches.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>

using namespace heddle::test;

namespace {

class Rows : public CpuTest<const char *> {
protected:
  // Runs a kernel on arrays of f32; the result's elements where memory ends, then where it begins at a faulting page.
  std::vector<std::vector<float>> run(const std::string &function, const std::vector<std::vector<float>> &inputs,
                                      size_t result, const std::vector<int64_t> &constants = {}) {
    CompiledKernel kernel(function, GetParam());
    EXPECT_EQ(kernel.error(), "");
    std::vector<std::vector<float>> results;
    for (auto at : {GuardedArray::At::End, GuardedArray::At::Start}) {
      std::vector<GuardedArray> arrays;
      std::vector<void *> bindings;
      for (const std::vector<float> &input : inputs) {
        arrays.emplace_back(input.size() * 4, at);
        std::memcpy(arrays.back().data(), input.data(), input.size() * 4);
      }
      arrays.emplace_back(result * 4, at);
      for (GuardedArray &array : arrays)
        bindings.push_back(array.data());
      if (kernel.error().empty())
        EXPECT_EQ(kernel.run(bindings, constants, 3), 0);
      std::span<float> out = arrays.back().as<float>();
      results.emplace_back(out.begin(), out.end());
    }
    return results;
  }

  static std::vector<float> iota(size_t size) {
    std::vector<float> values(size);
    std::iota(values.begin(), values.end(), 0.f);
    return values;
  }
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Cpu, Rows, testing::Values("x86-64-v4", "x86-64-v3", "x86-64"));

TEST_P(Rows, Transpose) {
  // The last is large enough to be written past the caches where its rows are whole lines.
  for (auto [m, n] : {std::pair{1, 40}, {16, 16}, {48, 33}, {130, 47}, {2000, 70}, {1100, 4096}})
    for (bool dynamic : {false, true})
      for (auto &y : run(dynamic ? transposeText(0, 0) : transposeText(m, n), {iota(size_t(m) * n)}, size_t(m) * n,
                         dynamic ? std::vector<int64_t>{m, n} : std::vector<int64_t>{}))
        for (int64_t i = 0; i < m; ++i)
          for (int64_t j = 0; j < n; ++j)
            ASSERT_EQ(y[j * m + i], i * n + j) << m << "x" << n << " at " << i << ", " << j;
}

TEST_P(Rows, TransposeInnerAndCompute) {
  // One operand is turned, one is walked in order, one is read at both: x[t, h, d] + y[h, d, t] + x's neighbour.
  const int64_t t = 21, h = 3, d = 18;
  auto x = iota(t * h * d), y = iota(h * d * t);
  auto results = run(R"(func.func @f(%x: tensor<21x3x18xf32>, %y: tensor<3x18x21xf32>) -> tensor<3x18x21xf32> {
    %e = tensor.empty() : tensor<3x18x21xf32>
    %g = linalg.generic {indexing_maps=[affine_map<(h,d,t)->(t,h,d)>,affine_map<(h,d,t)->(h,d,t)>,affine_map<(h,d,t)->(h,d,t)>],
                         iterator_types=["parallel","parallel","parallel"]}
         ins(%x, %y : tensor<21x3x18xf32>, tensor<3x18x21xf32>) outs(%e : tensor<3x18x21xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %two = arith.constant 2.0 : f32
      %p = arith.mulf %a, %two : f32
      %s = arith.addf %p, %b : f32
      linalg.yield %s : f32 } -> tensor<3x18x21xf32>
    return %g : tensor<3x18x21xf32> })",
                     {x, y}, h * d * t);
  for (auto &z : results)
    for (int64_t i = 0; i < h; ++i)
      for (int64_t j = 0; j < d; ++j)
        for (int64_t k = 0; k < t; ++k)
          ASSERT_EQ(z[(i * d + j) * t + k], 2 * x[(k * h + i) * d + j] + y[(i * d + j) * t + k]);
}

TEST_P(Rows, TransposeReadTwice) {
  // x + its transpose: the operand cannot be taken from the turned square alone.
  const int64_t n = 35;
  auto x = iota(n * n);
  for (auto &y : run(R"(func.func @f(%x: tensor<35x35xf32>) -> tensor<35x35xf32> {
    %e = tensor.empty() : tensor<35x35xf32>
    %g = linalg.generic {indexing_maps=[affine_map<(i,j)->(i,j)>,affine_map<(i,j)->(j,i)>,affine_map<(i,j)->(i,j)>], iterator_types=["parallel","parallel"]}
         ins(%x, %x : tensor<35x35xf32>, tensor<35x35xf32>) outs(%e : tensor<35x35xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %two = arith.constant 2.0 : f32
      %p = arith.mulf %a, %two : f32
      %s = arith.addf %p, %b : f32
      linalg.yield %s : f32 } -> tensor<35x35xf32>
    return %g : tensor<35x35xf32> })",
                     {x}, n * n))
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j)
        ASSERT_EQ(y[i * n + j], 2 * x[i * n + j] + x[j * n + i]);
}

TEST_P(Rows, LargeResult) {
  // Past the caches in whole vectors where memory begins at a line; the end of neither is one.
  for (auto [m, n] : {std::pair{2048, 2053}, {4099, 1024}})
    for (auto &y : run(elementwiseText(m, n, 2, "%r = arith.addf %a, %b : f32"),
                       {iota(size_t(m) * n), iota(size_t(m) * n)}, size_t(m) * n))
      for (int64_t i = 0; i < int64_t(m) * n; ++i)
        ASSERT_EQ(y[i], 2.f * i) << m << "x" << n << " at " << i;
}

TEST_P(Rows, DivideByRow) {
  // Divisors whose reciprocal is not a normal number, and those that are no numbers.
  constexpr float kInf = std::numeric_limits<float>::infinity();
  std::vector<float> divisors = {3, -7, 1e-42f, -1e-39f, 3e38f, 1e-30f, 0, -0.f, kInf, NAN};
  std::vector<float> dividends = {0, 1, -2.5f, 1e-42f, 3e38f, -1e-38f, kInf, NAN, 1e30f, 5};
  dividends.resize(40, 2);
  const int64_t m = divisors.size(), n = dividends.size();
  for (auto &y : run(R"(func.func @f(%x: tensor<40xf32>, %d: tensor<10xf32>) -> tensor<10x40xf32> {
    %e = tensor.empty() : tensor<10x40xf32>
    %g = linalg.generic {indexing_maps=[affine_map<(i,j)->(j)>,affine_map<(i,j)->(i)>,affine_map<(i,j)->(i,j)>], iterator_types=["parallel","parallel"]}
         ins(%x, %d : tensor<40xf32>, tensor<10xf32>) outs(%e : tensor<10x40xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %r = arith.divf %a, %b : f32
      linalg.yield %r : f32 } -> tensor<10x40xf32>
    return %g : tensor<10x40xf32> })",
                     {dividends, divisors}, m * n))
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        float want = dividends[j] / divisors[i], got = y[i * n + j];
        if (std::isnan(want) || std::isinf(want) || want == 0)
          ASSERT_TRUE(std::isnan(want) ? std::isnan(got) : got == want) << dividends[j] << " / " << divisors[i];
        else // two roundings; a subnormal quotient has fewer bits
          ASSERT_NEAR(got, want, std::max(3e-7f * std::abs(want), 3e-45f)) << dividends[j] << " / " << divisors[i];
      }
}
