// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer contractions against naive loops: exact, for every combination of signs, on each kind of dot product, with
// pages that fault around every binding.
#include "compiler/Codegen/test/CpuTest.h"
#include "compiler/Codegen/test/Dispatches.h"
#include "compiler/Codegen/test/KernelHarness.h"

#include <gtest/gtest.h>
#include <random>

using namespace heddle::test;

namespace {

using Columns = IntegerColumns;

struct Matmul {
  bool rowSigned, columnSigned;
  Columns columns = Columns::Plain;
  int64_t n, k;

  std::string text() const { return integerMatmulText(n, k, rowSigned, columnSigned, columns); }
  size_t columnIndex(int64_t p, int64_t j) const {
    return columns == Columns::Plain        ? p * n + j
           : columns == Columns::Transposed ? j * k + p
                                            : ((j / 16 * ((k + 3) / 4) + p / 4) * 16 + j % 16) * 4 + p % 4;
  }
  size_t columnElements() const { return columns == Columns::Grouped ? (n + 15) / 16 * ((k + 3) / 4) * 64 : k * n; }
};

int32_t widen(uint8_t byte, bool isSigned) { return isSigned ? static_cast<int8_t>(byte) : byte; }

void fill(std::span<uint8_t> bytes, uint32_t seed, bool extreme) {
  std::mt19937 random(seed);
  for (uint8_t &byte : bytes)
    byte = extreme ? (random() % 2 ? 0x80 : random() % 2 ? 0xff : 0x7f) : random();
}

void check(const CompiledKernel &kernel, const Matmul &matmul, int64_t m, GuardedArray::At at, bool extreme) {
  int64_t n = matmul.n, k = matmul.k;
  GuardedArray a(m * k, at), b(matmul.columnElements(), at), c(m * n * 4, at);
  auto rows = a.as<uint8_t>(), columns = b.as<uint8_t>();
  fill(rows, 1, extreme);
  fill(columns, 2, extreme);
  ASSERT_EQ(kernel.run({a.data(), b.data(), c.data()}, {m}, 2), 0);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      uint32_t sum = 0;
      for (int64_t p = 0; p < k; ++p)
        sum += static_cast<uint32_t>(widen(rows[i * k + p], matmul.rowSigned) *
                                     widen(columns[matmul.columnIndex(p, j)], matmul.columnSigned));
      ASSERT_EQ(c.as<uint32_t>()[i * n + j], 3 * sum + 1) << m << "x" << n << "x" << k << " at " << i << ", " << j;
    }
}

} // namespace

// AMX, AVX-512 with and without VNNI, AVX-VNNI, AVX2, SSE.
class IntegerMatmul : public CpuTest<std::tuple<const char *, Columns>> {};
INSTANTIATE_TEST_SUITE_P(Cpu, IntegerMatmul,
                         testing::Combine(testing::Values("sapphirerapids", "cascadelake", "x86-64-v4", "alderlake",
                                                          "x86-64-v3", "x86-64"),
                                          testing::Values(Columns::Plain, Columns::Transposed, Columns::Grouped)));

TEST_P(IntegerMatmul, IsExact) {
  auto [cpu, columns] = GetParam();
  for (int signs = 0; signs < 4; ++signs)
    for (auto [n, k] : {std::pair<int64_t, int64_t>{64, 16}, {37, 7}, {1, 0}, {40, 96}, {9, 39}}) {
      Matmul matmul{signs % 2 == 1, signs / 2 == 1, columns, n, k};
      CompiledKernel kernel(matmul.text(), cpu);
      ASSERT_EQ(kernel.error(), "");
      for (int64_t m : {0, 1, 7, 8, 21, 67})
        for (auto at : {GuardedArray::At::End, GuardedArray::At::Start})
          check(kernel, matmul, m, at, m == 7);
    }
}

// What a saturating product of pairs gets wrong.
TEST_P(IntegerMatmul, DoesNotSaturate) {
  auto [cpu, columns] = GetParam();
  Matmul matmul{false, true, columns, 32, 256};
  CompiledKernel kernel(matmul.text(), cpu);
  ASSERT_EQ(kernel.error(), "");
  check(kernel, matmul, 9, GuardedArray::At::End, true);
}

// A convolution whose sums start from a tensor, over maps that tiles of rows divide and do not divide.
class IntegerConv : public CpuTest<const char *> {};
INSTANTIATE_TEST_SUITE_P(Cpu, IntegerConv, testing::Values("sapphirerapids", "cascadelake", "x86-64-v3"));

TEST_P(IntegerConv, IsExact) {
  for (auto [height, width, n] : {std::tuple<int64_t, int64_t, int64_t>{5, 14, 40}, {1, 37, 16}, {3, 7, 33}}) {
    constexpr int64_t kChannels = 24;
    auto str = [](int64_t value) { return std::to_string(value); };
    std::string shape = str(height) + "x" + str(width) + "x" + str(n) + "xi32";
    std::string x = str(height + 2) + "x" + str(width + 2) + "x24xi8", w = str((n + 15) / 16) + "x3x3x6x16x4xi8";
    std::string layout = operandLayouts("perm = [3, 0, 1, 2], inner_dims = [3, 2], inner_tiles = [16, 4]");
    CompiledKernel kernel("func.func @conv(%x: tensor<" + x + ">, %w: tensor<" + w + ">, %s: tensor<" + shape +
                              ">) -> tensor<" + shape + R"(> {
      %r = linalg.generic {indexing_maps=[affine_map<(h,w,n,i,j,c)->(h+i,w+j,c)>,
                                          affine_map<(h,w,n,i,j,c)->(n floordiv 16,i,j,c floordiv 4,n mod 16,c mod 4)>,
                                          affine_map<(h,w,n,i,j,c)->(h,w,n)>],
                           iterator_types=["parallel","parallel","parallel","reduction","reduction","reduction"])" +
                              layout + R"(}
           ins(%x, %w : tensor<)" +
                              x + ">, tensor<" + w + ">) outs(%s : tensor<" + shape + R"(>) {
      ^bb0(%a: i8, %b: i8, %o: i32):
        %aa = arith.extui %a : i8 to i32
        %bb = arith.extsi %b : i8 to i32
        %p = arith.muli %aa, %bb : i32
        %q = arith.addi %o, %p : i32
        linalg.yield %q : i32 } -> tensor<)" +
                              shape + "> return %r : tensor<" + shape + "> }",
                          GetParam());
    ASSERT_EQ(kernel.error(), "");
    for (auto at : {GuardedArray::At::End, GuardedArray::At::Start}) {
      GuardedArray image((height + 2) * (width + 2) * kChannels, at), filters((n + 15) / 16 * 9 * 6 * 64, at);
      GuardedArray start(height * width * n * 4, at), result(height * width * n * 4, at);
      auto a = image.as<uint8_t>(), b = filters.as<uint8_t>();
      fill(a, 1, false);
      fill(b, 2, false);
      fill(start.as<uint8_t>(), 3, false);
      ASSERT_EQ(kernel.run({image.data(), filters.data(), start.data(), result.data()}, {}, 2), 0);
      for (int64_t h = 0; h < height; ++h)
        for (int64_t i = 0; i < width * n; ++i) {
          int64_t column = i / n, f = i % n;
          uint32_t sum = start.as<uint32_t>()[h * width * n + i];
          for (int64_t k = 0; k < 9 * kChannels; ++k) {
            int64_t tap = k / kChannels, c = k % kChannels;
            int64_t pixel = (h + tap / 3) * (width + 2) + column + tap % 3;
            int64_t group = ((f / 16 * 9 + tap) * 6 + c / 4) * 16 + f % 16;
            sum += static_cast<uint32_t>(widen(a[pixel * kChannels + c], false) * widen(b[group * 4 + c % 4], true));
          }
          ASSERT_EQ(result.as<uint32_t>()[h * width * n + i], sum) << h << ", " << column << ", " << f;
        }
    }
  }
}
