// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quotients and rests of integers in vectors: exact, at the borders of each type and for random numbers.
#include "compiler/Codegen/test/CpuTest.h"
#include "compiler/Codegen/test/KernelHarness.h"

#include <gtest/gtest.h>
#include <random>

using namespace heddle::test;

namespace {

constexpr int64_t kCount = 4099; // ends inside a vector

template <typename T> std::vector<T> operands(uint32_t seed) {
  constexpr T kLeast = std::numeric_limits<T>::min(), kMost = std::numeric_limits<T>::max();
  const std::vector<T> borders = {
      1, 2, 3, 7, kMost, T(kMost - 1), T(kMost / 2), T(kMost / 2 + 1), kLeast, T(kLeast + 1)};
  std::mt19937 random(seed);
  std::vector<T> values(kCount);
  for (T &value : values) {
    auto bits = static_cast<T>(random()); // of any length
    value = random() % 4 == 0 ? borders[random() % borders.size()] : static_cast<T>(bits >> random() % (8 * sizeof(T)));
  }
  return values;
}

std::string text(const std::string &type, const std::string &sign) {
  std::string tensor = "tensor<" + std::to_string(kCount) + "x" + type + ">";
  return "func.func @f(%x: " + tensor + ", %y: " + tensor + ") -> (" + tensor + ", " + tensor +
         ") {\n%e = tensor.empty() : " + tensor +
         "\n%q:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> "
         "(i)>, affine_map<(i) -> "
         "(i)>], iterator_types = [\"parallel\"]} ins(%x, %y : " +
         tensor + ", " + tensor + ") outs(%e, %e : " + tensor + ", " + tensor + ") {\n^bb0(%a: " + type +
         ", %b: " + type + ", %o: " + type + ", %p: " + type + "):\n%d = arith.div" + sign + "i %a, %b : " + type +
         "\n%r = arith.rem" + sign + "i %a, %b : " + type + "\nlinalg.yield %d, %r : " + type + ", " + type +
         "\n} -> (" + tensor + ", " + tensor + ")\nreturn %q#0, %q#1 : " + tensor + ", " + tensor + "\n}";
}

template <typename T> void check(const std::string &type, const std::string &sign, const char *cpu) {
  SCOPED_TRACE(type + sign);
  CompiledKernel kernel(text(type, sign), cpu);
  ASSERT_EQ(kernel.error(), "");
  std::vector<T> dividends = operands<T>(1), divisors = operands<T>(2);
  for (int64_t i = 0; i < kCount; ++i) // neither has a result
    if (divisors[i] == 0 || (std::is_signed_v<T> && divisors[i] == static_cast<T>(-1)))
      divisors[i] = 5;
  GuardedArray x(kCount * sizeof(T)), y(kCount * sizeof(T)), quotients(kCount * sizeof(T)), rests(kCount * sizeof(T));
  std::ranges::copy(dividends, x.as<T>().begin());
  std::ranges::copy(divisors, y.as<T>().begin());
  ASSERT_EQ(kernel.run({x.data(), y.data(), quotients.data(), rests.data()}, {}, 2), 0);
  for (int64_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(quotients.as<T>()[i], static_cast<T>(dividends[i] / divisors[i]))
        << +dividends[i] << " / " << +divisors[i];
    ASSERT_EQ(rests.as<T>()[i], static_cast<T>(dividends[i] % divisors[i])) << +dividends[i] << " % " << +divisors[i];
  }
}

class Division : public CpuTest<const char *> {};

} // namespace

INSTANTIATE_TEST_SUITE_P(Cpu, Division, testing::Values("x86-64-v4", "x86-64-v3", "x86-64"));

TEST_P(Division, IsExact) {
  check<int8_t>("i8", "s", GetParam());
  check<uint8_t>("i8", "u", GetParam());
  check<int16_t>("i16", "s", GetParam());
  check<uint16_t>("i16", "u", GetParam());
  check<int32_t>("i32", "s", GetParam());
  check<uint32_t>("i32", "u", GetParam());
  check<int64_t>("i64", "s", GetParam());
  check<uint64_t>("i64", "u", GetParam());
}
