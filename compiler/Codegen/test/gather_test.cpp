// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors of elements that lie near each other, with pages that fault around every binding.
#include "compiler/Codegen/test/CpuTest.h"
#include "compiler/Codegen/test/KernelHarness.h"

#include <functional>
#include <gtest/gtest.h>
#include <numeric>

using namespace heddle::test;

namespace {

class GatherLoad : public CpuTest<const char *> {};

// Rows of a table, read at places that are the same for all rows.
constexpr const char *kPlaces =
    R"(func.func @g(%t: tensor<?x?xTYPE>, %i: tensor<?xINDEX>, %rows: index, %v: index, %n: index) -> tensor<?x?xTYPE> {
    %e = tensor.empty(%rows, %n) : tensor<?x?xTYPE>
    %r = linalg.generic {indexing_maps = [affine_map<(a, b) -> (b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<?xINDEX>) outs(%e : tensor<?x?xTYPE>) {
    ^bb0(%x: INDEX, %o: TYPE):
      %a = linalg.index 0 : index
      %k = arith.index_cast %x : INDEX to index
      %y = tensor.extract %t[%a, %k] : tensor<?x?xTYPE>
      linalg.yield %y : TYPE } -> tensor<?x?xTYPE>
    return %r : tensor<?x?xTYPE> })";

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

template <typename Index> void checkPlaces(const CompiledKernel &kernel, int64_t size, int64_t n, int64_t step) {
  constexpr int64_t kRows = 3;
  for (auto at : {GuardedArray::At::End, GuardedArray::At::Start}) {
    GuardedArray table(kRows * size * 4, at), places(n * sizeof(Index), at), result(kRows * n * 4, at);
    std::iota(table.as<int32_t>().begin(), table.as<int32_t>().end(), 0);
    // Stretched, shrunk, backwards, or all over the row.
    for (int64_t o = 0; o < n; ++o)
      places.as<Index>()[o] = step > 0 ? o * step % size : step == 0 ? o * size / n : size - 1 - o * size / n;
    ASSERT_EQ(kernel.run({table.data(), places.data(), result.data()}, {kRows, size, n}), 0);
    for (int64_t row = 0; row < kRows; ++row)
      for (int64_t o = 0; o < n; ++o)
        ASSERT_EQ(result.as<int32_t>()[row * n + o], row * size + places.as<Index>()[o])
            << size << " " << n << " " << o;
  }
}

TEST_P(GatherLoad, PlacesInARow) {
  for (const char *type : {"f32", "i32"})
    for (const char *index : {"i32", "i64"}) {
      CompiledKernel kernel(replaced(replaced(kPlaces, "TYPE", type), "INDEX", index), GetParam());
      ASSERT_EQ(kernel.error(), "");
      for (int64_t size : {1, 3, 7, 15, 16, 17, 40, 100})
        for (int64_t n : {1, 16, 23, 64, 150})
          for (int64_t step : {-1, 0, 1, 7})
            std::string(index) == "i32" ? checkPlaces<int32_t>(kernel, size, n, step)
                                        : checkPlaces<int64_t>(kernel, size, n, step);
    }
}

// Elements whose places are quotients and remainders of the result's: `map` of (d0, d1).
void checkPattern(const char *cpu, const std::string &map, int64_t rows, int64_t columns, int64_t n,
                  const std::function<int64_t(int64_t, int64_t)> &place) {
  std::string source = "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) + "xf32>",
              result = "tensor<2x" + std::to_string(n) + "xf32>";
  CompiledKernel kernel(
      "func.func @p(%t: " + source + ") -> " + result + " {\n %e = tensor.empty() : " + result +
          "\n %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> " + map +
          ">, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [\"parallel\", \"parallel\"]} ins(%t : " + source +
          ") outs(%e : " + result + ") {\n ^bb0(%x: f32, %o: f32):\n linalg.yield %x : f32 } -> " + result +
          "\n return %r : " + result + " }",
      cpu);
  ASSERT_EQ(kernel.error(), "") << map;
  for (auto at : {GuardedArray::At::End, GuardedArray::At::Start}) {
    GuardedArray table(rows * columns * 4, at), out(2 * n * 4, at);
    std::iota(table.as<float>().begin(), table.as<float>().end(), 0.f);
    ASSERT_EQ(kernel.run({table.data(), out.data()}, {}), 0);
    for (int64_t a = 0; a < 2; ++a)
      for (int64_t b = 0; b < n; ++b)
        ASSERT_EQ(out.as<float>()[a * n + b], place(a, b)) << map << " at " << a << ", " << b;
  }
}

TEST_P(GatherLoad, RepeatedElements) {
  for (int64_t factor : {2, 3, 4, 8, 16, 32})
    for (int64_t columns : {1, 5, 8, 14, 28}) {
      int64_t n = factor * columns;
      checkPattern(GetParam(), "(d0, d1 floordiv " + std::to_string(factor) + ")", 2, columns, n,
                   [=](int64_t a, int64_t b) { return a * columns + b / factor; });
    }
}

TEST_P(GatherLoad, InterleavedElements) {
  for (int64_t parts : {2, 4})
    for (int64_t columns : {3, 8, 15, 28})
      checkPattern(GetParam(), "(d1 mod " + std::to_string(parts) + " + d0, d1 floordiv " + std::to_string(parts) + ")",
                   parts + 1, columns, parts * columns,
                   [=](int64_t a, int64_t b) { return (b % parts + a) * columns + b / parts; });
}

INSTANTIATE_TEST_SUITE_P(Cpu, GatherLoad, testing::Values("x86-64-v4", "x86-64-v3", "x86-64"));

} // namespace
