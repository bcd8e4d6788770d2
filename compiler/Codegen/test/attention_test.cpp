// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chains of contractions against naive loops.
#include "compiler/Codegen/test/CpuTest.h"
#include "compiler/Codegen/test/KernelHarness.h"
#include "compiler/Codegen/test/RowDispatches.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace heddle::test;

namespace {

struct Sizes {
  int64_t batch, heads, depth, rows, columns;
};

// softmax(q k / 4 + mask) v in double.
std::vector<double> attend(const Sizes &s, std::span<float> q, std::span<float> k, std::span<float> mask,
                           std::span<float> v) {
  std::vector<double> result(s.batch * s.heads * s.rows * s.depth), scores(s.columns);
  for (int64_t at = 0; at < s.batch * s.heads * s.rows; ++at) {
    int64_t head = at / s.rows, batch = head / s.heads;
    double max = -std::numeric_limits<double>::infinity(), sum = 0;
    for (int64_t j = 0; j < s.columns; ++j) {
      scores[j] = 0;
      for (int64_t d = 0; d < s.depth; ++d)
        scores[j] += double(q[at * s.depth + d]) * k[(head * s.depth + d) * s.columns + j];
      scores[j] = scores[j] * 0.25 + mask[batch * s.columns + j];
      max = std::max(max, scores[j]);
    }
    for (double &score : scores)
      sum += score = std::exp(score - max);
    for (int64_t j = 0; j < s.columns; ++j)
      for (int64_t d = 0; d < s.depth; ++d)
        result[at * s.depth + d] += scores[j] / sum * v[(head * s.columns + j) * s.depth + d];
  }
  return result;
}

void check(const CompiledKernel &kernel, const Sizes &s, GuardedArray::At at) {
  Dispatch dispatch = attention(s.batch, s.heads, s.depth, s.rows, s.columns);
  std::mt19937 random(3);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<GuardedArray> arrays;
  std::vector<void *> bindings;
  for (int64_t elements : dispatch.elements) {
    arrays.emplace_back(elements * 4, at);
    for (float &x : arrays.back().as<float>())
      x = uniform(random);
    bindings.push_back(arrays.back().data());
  }
  auto part = [&](int i) { return arrays[i].as<float>(); };
  // Batch 0 sees some columns, batch 1 none: masks of the least number, as models have it, leave equal weights.
  for (int64_t j = 0; j < s.columns; ++j)
    if (j % 5 == 2)
      part(2)[j] = -std::numeric_limits<float>::infinity();
  if (s.batch > 1)
    for (int64_t j = 0; j < s.columns; ++j)
      part(2)[s.columns + j] = std::numeric_limits<float>::lowest();
  std::vector<double> want = attend(s, part(0), part(1), part(2), part(3));
  if (s.batch > 1) // in f32 nothing is left of the scores beside the mask
    for (size_t i = want.size() / s.batch, n = want.size(); i < n; ++i) {
      int64_t d = i % s.depth, head = i / s.depth / s.rows;
      want[i] = 0;
      for (int64_t j = 0; j < s.columns; ++j)
        want[i] += part(3)[(head * s.columns + j) * s.depth + d] / double(s.columns);
    }
  ASSERT_EQ(kernel.run(bindings, dispatch.constants, at == GuardedArray::At::End ? 1 : 3), 0);
  for (size_t i = 0; i < want.size(); ++i)
    ASSERT_NEAR(part(4)[i], want[i], 3e-6) << dispatch.name << " at " << i;
}

} // namespace

class Attention : public CpuTest<const char *> {};

INSTANTIATE_TEST_SUITE_P(Cpu, Attention, testing::Values("x86-64-v4", "x86-64-v3", "x86-64"));

TEST_P(Attention, AgreesWithLoops) {
  for (auto [heads, depth] : {std::pair<int64_t, int64_t>{3, 8}, {2, 40}}) {
    CompiledKernel kernel(attentionText(heads, depth), GetParam());
    ASSERT_EQ(kernel.error(), "");
    for (int64_t rows : {1, 7, 32, 75})
      for (int64_t columns : {1, 16, 33, 130})
        for (int64_t batch : {1, 2})
          for (auto at : {GuardedArray::At::End, GuardedArray::At::Start})
            check(kernel, {batch, heads, depth, rows, columns}, at);
  }
}

TEST_P(Attention, MemoryGrowsWithColumnsOnly) {
  CompiledKernel kernel(attentionText(2, 32), GetParam());
  ASSERT_EQ(kernel.error(), "");
  auto bytes = [&](int64_t rows, int64_t columns) {
    return kernel.scratchBytes(attention(1, 2, 32, rows, columns).constants);
  };
  EXPECT_EQ(bytes(4096, 4096), bytes(128, 4096));
  EXPECT_LE(bytes(4096, 4096), 2 * 40 * 4096 * 4 + 2 * 32 * 4096 * 4);
  EXPECT_GE(kernel.workgroups(attention(1, 2, 32, 4096, 4096).constants), 2 * 4096 / 40);
}
