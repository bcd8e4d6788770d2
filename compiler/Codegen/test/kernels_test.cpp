// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels against naive loops, on many shapes, with pages that fault around every binding.
#include "compiler/Codegen/test/CpuTest.h"
#include "compiler/Codegen/test/Dispatches.h"
#include "compiler/Codegen/test/KernelHarness.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace heddle::test;

namespace {

// Bindings of one run: inputs random in [-1, 1], results last.
class Bindings {
public:
  explicit Bindings(GuardedArray::At at) : at(at) {}

  std::span<float> input(int64_t elements) {
    arrays.emplace_back(elements * 4, at);
    for (float &x : arrays.back().as<float>())
      x = uniform(random);
    return arrays.back().as<float>();
  }
  template <typename T> std::span<T> array(int64_t elements) {
    arrays.emplace_back(elements * sizeof(T), at);
    return arrays.back().as<T>();
  }
  int32_t operator()(const CompiledKernel &kernel, const std::vector<int64_t> &constants, int parts = 1) {
    std::vector<void *> bindings;
    for (GuardedArray &array : arrays)
      bindings.push_back(array.data());
    return kernel.run(bindings, constants, parts);
  }

private:
  GuardedArray::At at;
  std::vector<GuardedArray> arrays;
  std::mt19937 random{7};
  std::uniform_real_distribution<float> uniform{-1, 1};
};

constexpr GuardedArray::At kBoth[] = {GuardedArray::At::End, GuardedArray::At::Start};

double gelu(double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }

// The error of a sum of k products of values up to 1 in f32, in any order, is well under this.
double sumBound(int64_t k) { return 1e-6 * std::sqrt(static_cast<double>(k)) * 4 + 1e-6; }

void checkDense(const CompiledKernel &kernel, int64_t m, int64_t n, int64_t k, Epilogue epilogue) {
  for (auto at : kBoth) {
    Bindings run(at);
    auto a = run.input(m * k), b = run.input(k * n);
    std::span<float> bias, residual;
    std::vector<int64_t> constants = {m};
    if (epilogue != Epilogue::None)
      bias = run.input(n);
    if (epilogue == Epilogue::BiasResidual) {
      residual = run.input(m * n);
      constants.push_back(m);
    }
    auto c = run.array<float>(m * n);
    ASSERT_EQ(run(kernel, constants, at == GuardedArray::At::End ? 1 : 3), 0);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t p = 0; p < k; ++p)
          sum += double(a[i * k + p]) * b[p * n + j];
        if (!bias.empty())
          sum += bias[j];
        if (!residual.empty())
          sum += residual[i * n + j];
        if (epilogue == Epilogue::BiasGelu)
          sum = gelu(sum);
        ASSERT_NEAR(c[i * n + j], sum, sumBound(k)) << m << "x" << n << "x" << k << " at " << i << ", " << j;
      }
  }
}

void checkPanels(const std::string &cpu, int64_t m, int64_t k, int64_t n) {
  constexpr int64_t kPanel = 16;
  CompiledKernel kernel(gemmText(m, k, n, kPanel), cpu);
  ASSERT_EQ(kernel.error(), "");
  for (auto at : kBoth) {
    Bindings run(at);
    auto a = run.input(m * k), b = run.input((n + kPanel - 1) / kPanel * kPanel * k), c = run.array<float>(m * n);
    ASSERT_EQ(run(kernel, {}, at == GuardedArray::At::End ? 1 : 3), 0);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t p = 0; p < k; ++p)
          sum += double(a[i * k + p]) * b[(j / kPanel * k + p) * kPanel + j % kPanel];
        ASSERT_NEAR(c[i * n + j], sum, sumBound(k)) << m << "x" << k << "x" << n << " at " << i << ", " << j;
      }
  }
}

} // namespace

// A call's share of a small product is no workgroup of its own.
TEST(Kernels, WorkgroupsAreWorthACore) {
  auto workgroups = [](int64_t m, int64_t k, int64_t n) {
    CompiledKernel kernel(gemmText(m, k, n, 16));
    return kernel.error().empty() ? kernel.workgroups({}) : -1;
  };
  EXPECT_EQ(workgroups(1, 16, 1024), 1);
  EXPECT_EQ(workgroups(16, 64, 256), 1);
  EXPECT_EQ(workgroups(4, 256, 512), 4);
  EXPECT_GE(workgroups(1, 4096, 4096), 16);
  CompiledKernel dense(denseText(256, 64, Epilogue::None));
  EXPECT_EQ(dense.workgroups({1}), 1);
  EXPECT_GE(dense.workgroups({1000}), 8);
}

// Full and narrow last tiles of columns, padded or not, below and above the rows from which columns are asked for, and
// a result that is.
TEST(Kernels, ConstantColumnsInPanels) {
  for (const char *cpu : {"x86-64-v4", "x86-64-v3", "x86-64-v2"})
    if (runsHere(cpu))
      for (auto [m, k, n] : {std::tuple{1, 7, 5},
                             {1, 40, 200},
                             {2, 33, 16},
                             {3, 16, 100},
                             {13, 1, 65},
                             {14, 30, 129},
                             {50, 27, 33},
                             {131, 20, 64},
                             {140, 9, 115},
                             {27, 2100, 70},
                             {1030, 70, 273}})
        checkPanels(cpu, m, k, n);
}

class Dense : public CpuTest<std::tuple<const char *, std::pair<int64_t, int64_t>, Epilogue>> {};

TEST_P(Dense, AgreesWithLoops) {
  auto [cpu, size, epilogue] = GetParam();
  auto [n, k] = size;
  CompiledKernel kernel(denseText(n, k, epilogue), cpu);
  ASSERT_EQ(kernel.error(), "");
  for (int64_t m : {0, 1, 2, 7, 8, 9, 13, 37, 130})
    checkDense(kernel, m, n, k, epilogue);
}

INSTANTIATE_TEST_SUITE_P(Avx512, Dense,
                         testing::Combine(testing::Values("x86-64-v4"),
                                          testing::Values(std::pair{64, 32}, std::pair{33, 5}, std::pair{1, 17},
                                                          std::pair{31, 64}, std::pair{2, 3}, std::pair{16, 0}),
                                          testing::Values(Epilogue::BiasGelu, Epilogue::BiasResidual)));
// An odd number of vectors.
INSTANTIATE_TEST_SUITE_P(Odd, Dense,
                         testing::Combine(testing::Values("x86-64-v4", "x86-64-v3"),
                                          testing::Values(std::pair{48, 20}, std::pair{80, 3}, std::pair{24, 7}),
                                          testing::Values(Epilogue::Bias)));
// Columns packed when there are rows enough.
INSTANTIATE_TEST_SUITE_P(Conflicts, Dense,
                         testing::Combine(testing::Values("x86-64-v4"), testing::Values(std::pair{512, 600}),
                                          testing::Values(Epilogue::BiasGelu)));
INSTANTIATE_TEST_SUITE_P(Others, Dense,
                         testing::Combine(testing::Values("x86-64-v3", "x86-64"),
                                          testing::Values(std::pair{32, 16}, std::pair{19, 5}, std::pair{1, 9}),
                                          testing::Values(Epilogue::None, Epilogue::BiasGelu)));

class EachCpu : public CpuTest<const char *> {};
INSTANTIATE_TEST_SUITE_P(Cpu, EachCpu, testing::Values("x86-64-v4", "x86-64-v3", "x86-64"));

TEST_P(EachCpu, Softmax) {
  CompiledKernel kernel(softmaxText(), GetParam());
  ASSERT_EQ(kernel.error(), "");
  for (int64_t m : {0, 1, 5})
    for (int64_t n : {1, 3, 16, 31, 32, 33, 100, 1000})
      for (auto at : kBoth) {
        Bindings run(at);
        auto x = run.input(m * n);
        auto y = run.array<float>(m * n);
        for (float &value : x)
          value *= 20;
        ASSERT_EQ(run(kernel, {m, n}, 2), 0);
        for (int64_t i = 0; i < m; ++i) {
          double sum = 0, max = *std::max_element(&x[i * n], &x[i * n] + n);
          for (int64_t j = 0; j < n; ++j)
            sum += std::exp(x[i * n + j] - max);
          for (int64_t j = 0; j < n; ++j) {
            double expected = std::exp(x[i * n + j] - max) / sum;
            ASSERT_NEAR(y[i * n + j], expected, 1e-5 * expected + 1e-12) << m << "x" << n;
          }
        }
      }
}

TEST_P(EachCpu, LayerNorm) {
  for (int64_t n : {1, 7, 32, 45, 384}) {
    CompiledKernel kernel(layerNormText(n), GetParam());
    ASSERT_EQ(kernel.error(), "");
    for (int64_t m : {0, 1, 4, 67})
      for (auto at : kBoth) {
        Bindings run(at);
        auto x = run.input(m * n), scale = run.input(n), bias = run.input(n);
        auto y = run.array<float>(m * n);
        ASSERT_EQ(run(kernel, {m}), 0);
        for (int64_t i = 0; i < m; ++i) {
          double mean = 0, var = 0;
          for (int64_t j = 0; j < n; ++j)
            mean += x[i * n + j] / double(n);
          for (int64_t j = 0; j < n; ++j)
            var += (x[i * n + j] - mean) * (x[i * n + j] - mean) / n;
          for (int64_t j = 0; j < n; ++j)
            ASSERT_NEAR(y[i * n + j], (x[i * n + j] - mean) / std::sqrt(var + 1e-5) * scale[j] + bias[j], 2e-5)
                << m << "x" << n;
        }
      }
  }
}

TEST_P(EachCpu, Attention) {
  const int64_t h = 3, d = 8;
  for (bool transposed : {false, true}) {
    CompiledKernel kernel(scoresText(h, d, transposed), GetParam());
    ASSERT_EQ(kernel.error(), "");
    for (int64_t s : {1, 5, 8, 33, 70})
      for (auto at : kBoth) {
        const int64_t b = 2;
        Bindings run(at);
        auto q = run.input(b * h * s * d), k = run.input(b * h * s * d);
        auto r = run.array<float>(b * h * s * s);
        ASSERT_EQ(run(kernel, {b, s, b, s}, 3), 0);
        for (int64_t i = 0; i < b * h; ++i)
          for (int64_t m = 0; m < s; ++m)
            for (int64_t n = 0; n < s; ++n) {
              double sum = 0;
              for (int64_t p = 0; p < d; ++p)
                sum += double(q[(i * s + m) * d + p]) * k[transposed ? (i * s + n) * d + p : (i * d + p) * s + n];
              ASSERT_NEAR(r[(i * s + m) * s + n], sum * 0.17677669, sumBound(d)) << transposed << " " << s;
            }
      }
  }
}

TEST_P(EachCpu, Convolution) {
  for (int64_t stride : {1, 2})
    for (auto [hw, c, f, size] : {std::tuple{5, 3, 35, 3}, std::tuple{7, 16, 32, 1}, std::tuple{1, 2, 3, 2}}) {
      CompiledKernel kernel(convText(hw, c, f, size, stride), GetParam());
      ASSERT_EQ(kernel.error(), "");
      int64_t in = (hw - 1) * stride + size;
      for (auto at : kBoth) {
        Bindings run(at);
        auto x = run.input(in * in * c), w = run.input(size * size * c * f);
        auto y = run.array<float>(hw * hw * f);
        ASSERT_EQ(run(kernel, {}, 2), 0);
        for (int64_t oh = 0; oh < hw; ++oh)
          for (int64_t ow = 0; ow < hw; ++ow)
            for (int64_t o = 0; o < f; ++o) {
              double sum = 0;
              for (int64_t kh = 0; kh < size; ++kh)
                for (int64_t kw = 0; kw < size; ++kw)
                  for (int64_t i = 0; i < c; ++i)
                    sum += double(x[((oh * stride + kh) * in + ow * stride + kw) * c + i]) *
                           w[((kh * size + kw) * c + i) * f + o];
              ASSERT_NEAR(y[(oh * hw + ow) * f + o], sum, sumBound(size * size * c));
            }
      }
    }
}
