// Integer contractions against naive loops: exact, for every combination of signs, on each kind of dot product, with
// pages that fault around every binding.
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

// AVX-512 with and without VNNI, AVX-VNNI, AVX2, SSE.
class IntegerMatmul : public testing::TestWithParam<std::tuple<const char *, Columns>> {
protected:
  static bool runsHere(const std::string &cpu) {
    __builtin_cpu_init();
    if (cpu == "cascadelake")
      return __builtin_cpu_supports("avx512vnni");
    if (cpu == "alderlake")
      return __builtin_cpu_supports("avxvnni");
    return true;
  }
};
INSTANTIATE_TEST_SUITE_P(Cpu, IntegerMatmul,
                         testing::Combine(testing::Values("cascadelake", "x86-64-v4", "alderlake", "x86-64-v3",
                                                          "x86-64"),
                                          testing::Values(Columns::Plain, Columns::Transposed, Columns::Grouped)));

TEST_P(IntegerMatmul, IsExact) {
  auto [cpu, columns] = GetParam();
  if (!runsHere(cpu))
    GTEST_SKIP() << "this processor is no " << cpu;
  for (int signs = 0; signs < 4; ++signs)
    for (auto [n, k] : {std::pair<int64_t, int64_t>{64, 16}, {37, 7}, {1, 0}}) {
      Matmul matmul{signs % 2 == 1, signs / 2 == 1, columns, n, k};
      CompiledKernel kernel(matmul.text(), cpu);
      ASSERT_EQ(kernel.error(), "");
      for (int64_t m : {0, 1, 7, 8, 21})
        for (auto at : {GuardedArray::At::End, GuardedArray::At::Start})
          check(kernel, matmul, m, at, m == 7);
    }
}

// What a saturating product of pairs gets wrong.
TEST_P(IntegerMatmul, DoesNotSaturate) {
  auto [cpu, columns] = GetParam();
  if (!runsHere(cpu))
    GTEST_SKIP() << "this processor is no " << cpu;
  Matmul matmul{false, true, columns, 32, 256};
  CompiledKernel kernel(matmul.text(), cpu);
  ASSERT_EQ(kernel.error(), "");
  check(kernel, matmul, 9, GuardedArray::At::End, true);
}
