// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions of bf16 to f32 against naive loops, by dot products and without, with pages that fault around every
// binding.
#include "compiler/Codegen/test/CpuTest.h"
#include "compiler/Codegen/test/Dispatches.h"
#include "compiler/Codegen/test/KernelHarness.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace heddle::test;

namespace {

enum class Columns { Plain, Transposed, Grouped };

float widen(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
uint16_t narrow(float value) { return static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16); }

struct Matmul {
  Columns columns;
  int64_t n, k;

  size_t at(int64_t p, int64_t j) const {
    return columns == Columns::Plain        ? p * n + j
           : columns == Columns::Transposed ? j * k + p
                                            : ((j / 16 * ((k + 1) / 2) + p / 2) * 16 + j % 16) * 2 + p % 2;
  }
  size_t elements() const { return columns == Columns::Grouped ? (n + 15) / 16 * ((k + 1) / 2) * 32 : k * n; }

  std::string text() const {
    auto str = [](int64_t value) { return std::to_string(value); };
    std::string b = columns == Columns::Plain        ? str(k) + "x" + str(n)
                    : columns == Columns::Transposed ? str(n) + "x" + str(k)
                                                     : str((n + 15) / 16) + "x" + str((k + 1) / 2) + "x16x2";
    std::string map = columns == Columns::Plain        ? "(k,j)"
                      : columns == Columns::Transposed ? "(j,k)"
                                                       : "(j floordiv 16,k floordiv 2,j mod 16,k mod 2)";
    std::string layout =
        columns == Columns::Grouped ? operandLayouts("perm = [1, 0], inner_dims = [1, 0], inner_tiles = [16, 2]") : "";
    std::string r = "tensor<?x" + str(n) + "xf32>", a = "tensor<?x" + str(k) + "xbf16>", c = "tensor<" + b + "xbf16>";
    return "func.func @matmul(%a: " + a + ", %b: " + c + ", %m: index) -> " + r + R"( {
      %z = arith.constant 0.0 : f32
      %e = tensor.empty(%m) : )" +
           r + R"(
      %f = linalg.fill ins(%z : f32) outs(%e : )" +
           r + ") -> " + r + R"(
      %r = linalg.generic {indexing_maps=[affine_map<(i,j,k)->(i,k)>,affine_map<(i,j,k)->)" +
           map + R"(>,affine_map<(i,j,k)->(i,j)>], iterator_types=["parallel","parallel","reduction"])" + layout +
           R"(}
           ins(%a, %b : )" +
           a + ", " + c + ") outs(%f : " + r + R"() {
      ^bb0(%x: bf16, %y: bf16, %o: f32):
        %xx = arith.extf %x : bf16 to f32
        %yy = arith.extf %y : bf16 to f32
        %p = arith.mulf %xx, %yy : f32
        %s = arith.addf %o, %p : f32
        linalg.yield %s : f32 } -> )" +
           r + "\n return %r : " + r + " }";
  }
};

void fill(std::span<uint16_t> values, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> draw(-2, 2);
  for (uint16_t &value : values)
    value = narrow(draw(random));
}

void check(const CompiledKernel &kernel, const Matmul &matmul, int64_t m, GuardedArray::At at, bool infinite) {
  int64_t n = matmul.n, k = matmul.k;
  GuardedArray a(m * k * 2, at), b(matmul.elements() * 2, at), c(m * n * 4, at);
  auto rows = a.as<uint16_t>(), columns = b.as<uint16_t>();
  fill(rows, 1);
  for (uint16_t &value : columns)
    value = 0; // what pads a panel
  std::mt19937 random(2);
  std::uniform_real_distribution<float> draw(-2, 2);
  for (int64_t p = 0; p < k; ++p)
    for (int64_t j = 0; j < n; ++j)
      columns[matmul.at(p, j)] =
          narrow(infinite && p == k - 1 && j % 3 == 0 ? std::numeric_limits<float>::infinity() : draw(random));
  ASSERT_EQ(kernel.run({a.data(), b.data(), c.data()}, {m}, 2), 0);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t p = 0; p < k; ++p)
        sum += static_cast<double>(widen(rows[i * k + p])) * widen(columns[matmul.at(p, j)]);
      float got = c.as<float>()[i * n + j];
      if (std::isinf(sum))
        ASSERT_EQ(got, static_cast<float>(sum)) << m << "x" << n << "x" << k << " at " << i << ", " << j;
      else
        ASSERT_NEAR(got, sum, 1e-5 * (k + 1)) << m << "x" << n << "x" << k << " at " << i << ", " << j;
    }
}

} // namespace

// By vdpbf16ps; widened with AVX-512 and AVX2.
class BfloatMatmul : public CpuTest<std::tuple<const char *, Columns>> {};
INSTANTIATE_TEST_SUITE_P(Cpu, BfloatMatmul,
                         testing::Combine(testing::Values("cooperlake", "x86-64-v4", "x86-64-v3"),
                                          testing::Values(Columns::Plain, Columns::Transposed, Columns::Grouped)));

TEST_P(BfloatMatmul, IsRight) {
  auto [cpu, columns] = GetParam();
  for (auto [n, k] : {std::pair<int64_t, int64_t>{64, 16}, {37, 7}, {1, 0}, {40, 96}, {9, 39}}) {
    Matmul matmul{columns, n, k};
    CompiledKernel kernel(matmul.text(), cpu);
    ASSERT_EQ(kernel.error(), "");
    for (int64_t m : {0, 1, 7, 8, 21, 67})
      for (auto at : {GuardedArray::At::End, GuardedArray::At::Start})
        check(kernel, matmul, m, at, false);
  }
}

// The pair that an odd number of elements leaves has a zero on both sides.
TEST_P(BfloatMatmul, KeepsInfinities) {
  auto [cpu, columns] = GetParam();
  Matmul matmul{columns, 21, 7};
  CompiledKernel kernel(matmul.text(), cpu);
  ASSERT_EQ(kernel.error(), "");
  check(kernel, matmul, 9, GuardedArray::At::End, true);
}
