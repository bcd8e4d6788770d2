// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that move elements, reduce in unusual places, or check indices.
#include "compiler/Codegen/test/CpuTest.h"
#include "compiler/Codegen/test/KernelHarness.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

using namespace heddle::test;

namespace {

class Movement : public CpuTest<const char *> {
protected:
  // Runs a kernel on f32 arrays 0, 1, 2, …; the result's elements.
  std::vector<float> run(const std::string &function, std::vector<size_t> inputs, size_t result,
                         const std::vector<int64_t> &constants = {}) {
    CompiledKernel kernel(function, GetParam());
    EXPECT_EQ(kernel.error(), "");
    if (!kernel.error().empty())
      return {};
    std::vector<float> values;
    for (auto at : {GuardedArray::At::End, GuardedArray::At::Start}) {
      std::vector<GuardedArray> arrays;
      std::vector<void *> bindings;
      for (size_t size : inputs) {
        arrays.emplace_back(size * 4, at);
        std::iota(arrays.back().as<float>().begin(), arrays.back().as<float>().end(), 0.f);
      }
      arrays.emplace_back(result * 4, at);
      for (GuardedArray &array : arrays)
        bindings.push_back(array.data());
      EXPECT_EQ(kernel.run(bindings, constants, 2), 0);
      std::span<float> out = arrays.back().as<float>();
      values.assign(out.begin(), out.end());
    }
    return values;
  }
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Cpu, Movement, testing::Values("x86-64-v4", "x86-64-v3"));

TEST_P(Movement, Transpose) {
  for (int64_t m : {1, 4, 37}) {
    const int64_t n = 19;
    auto y = run(R"(func.func @t(%x: tensor<?x19xf32>, %m: index) -> tensor<19x?xf32> {
      %e = tensor.empty(%m) : tensor<19x?xf32>
      %t = linalg.transpose ins(%x : tensor<?x19xf32>) outs(%e : tensor<19x?xf32>) permutation = [1, 0]
      return %t : tensor<19x?xf32> })",
                 {size_t(m * n)}, m * n, {m});
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j)
        ASSERT_EQ(y[j * m + i], i * n + j);
  }
}

TEST_P(Movement, Pad) {
  auto y = run(R"(func.func @p(%x: tensor<3x?xf32>, %n: index, %lo: index) -> tensor<6x?xf32> {
    %z = arith.constant -1.0 : f32
    %p = tensor.pad %x low[1, %lo] high[2, 1] { ^bb0(%i: index, %j: index): tensor.yield %z : f32 } : tensor<3x?xf32> to tensor<6x?xf32>
    return %p : tensor<6x?xf32> })",
               {3 * 40}, 6 * 43, {40, 2});
  for (int64_t i = 0; i < 6; ++i)
    for (int64_t j = 0; j < 43; ++j)
      ASSERT_EQ(y[i * 43 + j], i < 1 || i > 3 || j < 2 || j > 41 ? -1 : (i - 1) * 40 + j - 2) << i << ", " << j;
}

// What is computed is written where the padded result has it: a product of free rows, sums of rows, a transpose.
TEST_P(Movement, PadOfAProduct) {
  for (int64_t m : {0, 1, 9, 37}) {
    const int64_t n = 21, k = 3, rows = m + 3, columns = n + 5;
    auto y = run(R"(func.func @p(%x: tensor<?x3xf32>, %w: tensor<3x21xf32>, %m: index) -> tensor<?x26xf32> {
      %z = arith.constant 0.0 : f32
      %b = arith.constant -1.0 : f32
      %e = tensor.empty(%m) : tensor<?x21xf32>
      %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x21xf32>) -> tensor<?x21xf32>
      %r = linalg.matmul ins(%x, %w : tensor<?x3xf32>, tensor<3x21xf32>) outs(%f : tensor<?x21xf32>) -> tensor<?x21xf32>
      %p = tensor.pad %r low[1, 4] high[2, 1] { ^bb0(%i: index, %j: index): tensor.yield %b : f32 } : tensor<?x21xf32> to tensor<?x26xf32>
      return %p : tensor<?x26xf32> })",
                 {size_t(m * k), size_t(k * n)}, rows * columns, {m});
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) {
        float sum = 0;
        for (int64_t l = 0; l < k; ++l)
          sum += ((i - 1) * k + l) * (l * n + j - 4);
        bool inside = i >= 1 && i <= m && j >= 4 && j < 4 + n;
        ASSERT_EQ(y[i * columns + j], inside ? sum : -1) << m << ": " << i << ", " << j;
      }
  }
}

// Planes to pixels: lane l of a row has channel l mod 3, in vectors that begin with each of the channels.
TEST_P(Movement, InterleavedRows) {
  for (int64_t channels : {3, 5, 6}) {
    std::string c = std::to_string(channels), row = std::to_string(75 * channels);
    auto y = run("func.func @p(%x: tensor<" + c + "x2x75xf32>) -> tensor<2x" + row + R"(xf32> {
      %e = tensor.empty() : tensor<2x)" +
                     row +
                     R"(xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j mod )" +
                     c + ", i, j floordiv " + c +
                     R"()>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
          ins(%x : tensor<)" +
                     c + "x2x75xf32>) outs(%e : tensor<2x" + row + R"(xf32>) {
      ^bb0(%in: f32, %out: f32):
        linalg.yield %in : f32
      } -> tensor<2x)" +
                     row + "xf32>\n return %r : tensor<2x" + row + "xf32> }",
                 {size_t(channels * 150)}, 150 * channels);
    for (int64_t i = 0; i < 2; ++i)
      for (int64_t j = 0; j < 75 * channels; ++j)
        ASSERT_EQ(y[i * 75 * channels + j], j % channels * 150 + i * 75 + j / channels) << channels << ": " << j;
  }
}

TEST_P(Movement, PadOfPixels) {
  auto y = run(R"(func.func @p(%x: tensor<?x31x3xf32>, %n: index) -> tensor<?x36x3xf32> {
    %z = arith.constant -1.0 : f32
    %p = tensor.pad %x low[1, 2, 0] high[0, 3, 0] { ^bb0(%i: index, %j: index, %k: index): tensor.yield %z : f32 } : tensor<?x31x3xf32> to tensor<?x36x3xf32>
    return %p : tensor<?x36x3xf32> })",
               {4 * 31 * 3}, 5 * 36 * 3, {4});
  for (int64_t i = 0; i < 5; ++i)
    for (int64_t j = 0; j < 36; ++j)
      for (int64_t k = 0; k < 3; ++k)
        ASSERT_EQ(y[(i * 36 + j) * 3 + k], i < 1 || j < 2 || j > 32 ? -1 : ((i - 1) * 31 + j - 2) * 3 + k) << i << j;
}

TEST_P(Movement, PadOfRowsAndTransposes) {
  auto sums = run(R"(func.func @p(%x: tensor<5x70xf32>) -> tensor<8xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<5xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
    %r = linalg.reduce ins(%x : tensor<5x70xf32>) outs(%f : tensor<5xf32>) dimensions = [1] (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32 }
    %p = tensor.pad %r low[2] high[1] { ^bb0(%i: index): tensor.yield %z : f32 } : tensor<5xf32> to tensor<8xf32>
    return %p : tensor<8xf32> })",
                  {5 * 70}, 8);
  for (int64_t i = 0; i < 8; ++i)
    ASSERT_EQ(sums[i], i < 2 || i > 6 ? 0 : 70 * 70 * (i - 2) + 69 * 35) << i;
  auto turned = run(R"(func.func @p(%x: tensor<33x20xf32>) -> tensor<23x33xf32> {
    %z = arith.constant -1.0 : f32
    %e = tensor.empty() : tensor<20x33xf32>
    %t = linalg.transpose ins(%x : tensor<33x20xf32>) outs(%e : tensor<20x33xf32>) permutation = [1, 0]
    %p = tensor.pad %t low[1, 0] high[2, 0] { ^bb0(%i: index, %j: index): tensor.yield %z : f32 } : tensor<20x33xf32> to tensor<23x33xf32>
    return %p : tensor<23x33xf32> })",
                    {33 * 20}, 23 * 33);
  for (int64_t i = 0; i < 23; ++i)
    for (int64_t j = 0; j < 33; ++j)
      ASSERT_EQ(turned[i * 33 + j], i < 1 || i > 20 ? -1 : j * 20 + i - 1) << i << ", " << j;
}

TEST_P(Movement, PadOfNothing) {
  auto y = run(R"(func.func @p(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
    %z = arith.constant 5.0 : f32
    %p = tensor.pad %x low[1] high[2] { ^bb0(%i: index): tensor.yield %z : f32 } : tensor<?xf32> to tensor<?xf32>
    return %p : tensor<?xf32> })",
               {0}, 3, {0});
  EXPECT_EQ(y, std::vector<float>({5, 5, 5}));
}

TEST_P(Movement, Concat) {
  auto y = run(R"(func.func @c(%a: tensor<2x?xf32>, %b: tensor<2x3xf32>, %n: index) -> tensor<2x?xf32> {
    %c = tensor.concat dim(1) %a, %b : (tensor<2x?xf32>, tensor<2x3xf32>) -> tensor<2x?xf32>
    return %c : tensor<2x?xf32> })",
               {2 * 35, 6}, 2 * 38, {35});
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t j = 0; j < 38; ++j)
      ASSERT_EQ(y[i * 38 + j], j < 35 ? i * 35 + j : i * 3 + j - 35);
}

TEST_P(Movement, ExtractSlice) {
  auto y = run(R"(func.func @s(%x: tensor<9x40xf32>, %o: index, %n: index) -> tensor<?xf32> {
    %s = tensor.extract_slice %x[%o, 3] [1, %n] [1, 2] : tensor<9x40xf32> to tensor<?xf32>
    return %s : tensor<?xf32> })",
               {360}, 18, {4, 18});
  for (int64_t j = 0; j < 18; ++j)
    ASSERT_EQ(y[j], 4 * 40 + 3 + 2 * j);
}

TEST_P(Movement, InsertSlice) {
  auto y = run(R"(func.func @i(%x: tensor<3x5xf32>, %y: tensor<7x40xf32>) -> tensor<7x40xf32> {
    %s = tensor.insert_slice %x into %y[2, 30] [3, 5] [1, 1] : tensor<3x5xf32> into tensor<7x40xf32>
    return %s : tensor<7x40xf32> })",
               {15, 280}, 280);
  for (int64_t i = 0; i < 7; ++i)
    for (int64_t j = 0; j < 40; ++j)
      ASSERT_EQ(y[i * 40 + j], i >= 2 && i < 5 && j >= 30 && j < 35 ? (i - 2) * 5 + j - 30 : i * 40 + j);
}

TEST_P(Movement, Reshapes) {
  auto y = run(R"(func.func @r(%x: tensor<4x?xf32>, %n: index, %h: index) -> tensor<?x2x2xf32> {
    %c = tensor.collapse_shape %x [[0, 1]] : tensor<4x?xf32> into tensor<?xf32>
    %e = tensor.expand_shape %c [[0, 1, 2]] output_shape [%n, 2, 2] : tensor<?xf32> into tensor<?x2x2xf32>
    return %e : tensor<?x2x2xf32> })",
               {4 * 13}, 4 * 13, {13, 13});
  for (int64_t i = 0; i < 52; ++i)
    ASSERT_EQ(y[i], i);
}

TEST_P(Movement, ReduceMiddle) {
  auto y = run(R"(func.func @r(%x: tensor<3x?x35xf32>, %n: index) -> tensor<3x35xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<3x35xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<3x35xf32>) -> tensor<3x35xf32>
    %r = linalg.reduce { arith.addf } ins(%x : tensor<3x?x35xf32>) outs(%f : tensor<3x35xf32>) dimensions = [1]
    return %r : tensor<3x35xf32> })",
               {3 * 6 * 35}, 3 * 35, {6});
  for (int64_t i = 0; i < 3; ++i)
    for (int64_t j = 0; j < 35; ++j) {
      float sum = 0;
      for (int64_t k = 0; k < 6; ++k)
        sum += (i * 6 + k) * 35 + j;
      ASSERT_EQ(y[i * 35 + j], sum);
    }
}

TEST_P(Movement, ReduceAll) {
  for (int64_t n : {0, 1, 77}) {
    auto y = run(R"(func.func @r(%x: tensor<3x?xf32>, %n: index) -> tensor<f32> {
      %z = arith.constant 0.5 : f32
      %e = tensor.empty() : tensor<f32>
      %f = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>
      %r = linalg.reduce { arith.addf } ins(%x : tensor<3x?xf32>) outs(%f : tensor<f32>) dimensions = [0, 1]
      return %r : tensor<f32> })",
                 {size_t(3 * n)}, 1, {n});
    ASSERT_EQ(y[0], 0.5f + (3 * n) * (3 * n - 1) / 2);
  }
}

TEST_P(Movement, MatrixVector) {
  auto y = run(R"(func.func @v(%a: tensor<?x37xf32>, %x: tensor<37xf32>, %m: index) -> tensor<?xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty(%m) : tensor<?xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %r = linalg.matvec ins(%a, %x : tensor<?x37xf32>, tensor<37xf32>) outs(%f : tensor<?xf32>) -> tensor<?xf32>
    return %r : tensor<?xf32> })",
               {9 * 37, 37}, 9, {9});
  for (int64_t i = 0; i < 9; ++i) {
    double sum = 0;
    for (int64_t k = 0; k < 37; ++k)
      sum += double(i * 37 + k) * k;
    ASSERT_NEAR(y[i], sum, 1e-6 * sum);
  }
}

// A reduction of a reduction of other rows: needs memory between the two.
TEST_P(Movement, Staged) {
  auto y = run(R"(func.func @s(%a: tensor<4x70xf32>, %b: tensor<70x40xf32>) -> tensor<4x40xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4x40xf32>
    %e1 = tensor.empty() : tensor<4xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<4x40xf32>) -> tensor<4x40xf32>
    %f1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
    %r = linalg.matmul ins(%a, %b : tensor<4x70xf32>, tensor<70x40xf32>) outs(%f : tensor<4x40xf32>) -> tensor<4x40xf32>
    %s = linalg.reduce { arith.maximumf } ins(%r : tensor<4x40xf32>) outs(%f1 : tensor<4xf32>) dimensions = [1]
    %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%r, %s : tensor<4x40xf32>, tensor<4xf32>) outs(%e : tensor<4x40xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %q = arith.divf %x, %y : f32
      linalg.yield %q : f32 } -> tensor<4x40xf32>
    return %d : tensor<4x40xf32> })",
               {280, 2800}, 160);
  for (int64_t i = 0; i < 4; ++i) {
    auto product = [&](int64_t j) {
      double sum = 0;
      for (int64_t k = 0; k < 70; ++k)
        sum += double(i * 70 + k) * (k * 40 + j);
      return sum;
    };
    for (int64_t j = 0; j < 40; ++j)
      ASSERT_NEAR(y[i * 40 + j], product(j) / product(39), 1e-5);
  }
}

// A pooling window is computed again for each reader rather than kept.
TEST_P(Movement, Pool) {
  auto y = run(R"(func.func @p(%x: tensor<1x8x8x20xf32>) -> tensor<1x3x3x20xf32> {
    %z = arith.constant -1.0e30 : f32
    %w = tensor.empty() : tensor<3x3xf32>
    %e = tensor.empty() : tensor<1x3x3x20xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x3x3x20xf32>) -> tensor<1x3x3x20xf32>
    %r = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<1x8x8x20xf32>, tensor<3x3xf32>) outs(%f : tensor<1x3x3x20xf32>) -> tensor<1x3x3x20xf32>
    return %r : tensor<1x3x3x20xf32> })",
               {8 * 8 * 20}, 180);
  for (int64_t i = 0; i < 3; ++i)
    for (int64_t j = 0; j < 3; ++j)
      for (int64_t c = 0; c < 20; ++c)
        ASSERT_EQ(y[(i * 3 + j) * 20 + c], ((2 * i + 2) * 8 + 2 * j + 2) * 20 + c);
}

TEST_P(Movement, ChannelsFirstConvolution) {
  auto y = run(R"(func.func @c(%x: tensor<1x3x6x21xf32>, %w: tensor<5x3x3x3xf32>) -> tensor<1x5x4x19xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<1x5x4x19xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x5x4x19xf32>) -> tensor<1x5x4x19xf32>
    %r = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x3x6x21xf32>, tensor<5x3x3x3xf32>) outs(%f : tensor<1x5x4x19xf32>) -> tensor<1x5x4x19xf32>
    return %r : tensor<1x5x4x19xf32> })",
               {3 * 6 * 21, 5 * 27}, 5 * 4 * 19);
  for (int64_t f = 0; f < 5; ++f)
    for (int64_t i = 0; i < 4; ++i)
      for (int64_t j = 0; j < 19; ++j) {
        double sum = 0;
        for (int64_t c = 0; c < 3; ++c)
          for (int64_t k = 0; k < 3; ++k)
            for (int64_t l = 0; l < 3; ++l)
              sum += double((c * 6 + i + k) * 21 + j + l) * (((f * 3 + c) * 3 + k) * 3 + l);
        ASSERT_NEAR(y[(f * 4 + i) * 19 + j], sum, 1e-6 * sum);
      }
}

//===--- Indices and other types ---------------------------------------------------------------------------------===//

static const char *kGather =
    R"(func.func @g(%t: tensor<?x20xf32>, %i: tensor<?xi64>, %v: index, %n: index) -> tensor<?x20xf32> {
    %e = tensor.empty(%n) : tensor<?x20xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<?xi64>) outs(%e : tensor<?x20xf32>) {
    ^bb0(%x: i64, %o: f32):
      %c = linalg.index 1 : index
      %k = arith.index_cast %x : i64 to index
      %s = flow.checked_index %k, %v
      %y = tensor.extract %t[%s, %c] : tensor<?x20xf32>
      linalg.yield %y : f32 } -> tensor<?x20xf32>
    return %r : tensor<?x20xf32> })";

TEST_P(Movement, GatherChecksItsIndices) {
  CompiledKernel kernel(kGather, GetParam());
  ASSERT_EQ(kernel.error(), "");
  auto gather = [&](std::vector<int64_t> indices, int64_t rows) {
    GuardedArray table(rows * 80), index(indices.size() * 8), result(indices.size() * 80);
    std::iota(table.as<float>().begin(), table.as<float>().end(), 0.f);
    std::copy(indices.begin(), indices.end(), index.as<int64_t>().begin());
    int64_t n = indices.size();
    int32_t status = kernel.run({table.data(), index.data(), result.data()}, {rows, n});
    for (int64_t i = 0; status == 0 && i < n; ++i)
      for (int64_t j = 0; j < 20; ++j)
        EXPECT_EQ(result.as<float>()[i * 20 + j], indices[i] * 20 + j);
    return status;
  };
  EXPECT_EQ(gather({2, 0, 6, 6}, 7), HEDDLE_KERNEL_OK);
  EXPECT_EQ(gather({}, 7), HEDDLE_KERNEL_OK);
  EXPECT_EQ(gather({2, 7}, 7), HEDDLE_KERNEL_INDEX_OUT_OF_RANGE);
  EXPECT_EQ(gather({-1}, 7), HEDDLE_KERNEL_INDEX_OUT_OF_RANGE);
  EXPECT_EQ(gather({INT64_MIN}, 7), HEDDLE_KERNEL_INDEX_OUT_OF_RANGE);
  EXPECT_EQ(gather({0}, 0), HEDDLE_KERNEL_INDEX_OUT_OF_RANGE);
}

// Indices differ from lane to lane.
TEST_P(Movement, GatherElements) {
  CompiledKernel kernel(R"(func.func @g(%t: tensor<50xf32>, %i: tensor<?xi32>, %n: index) -> tensor<?xf32> {
    %e = tensor.empty(%n) : tensor<?xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]} ins(%i : tensor<?xi32>) outs(%e : tensor<?xf32>) {
    ^bb0(%x: i32, %o: f32):
      %size = arith.constant 50 : index
      %k = arith.index_cast %x : i32 to index
      %s = flow.checked_index %k, %size
      %y = tensor.extract %t[%s] : tensor<50xf32>
      linalg.yield %y : f32 } -> tensor<?xf32>
    return %r : tensor<?xf32> })",
                        GetParam());
  ASSERT_EQ(kernel.error(), "");
  for (int64_t n : {1, 31, 100})
    for (int64_t bad : {int64_t(-1), n - 1}) {
      GuardedArray table(200), index(n * 4), result(n * 4);
      std::iota(table.as<float>().begin(), table.as<float>().end(), 0.f);
      for (int64_t i = 0; i < n; ++i)
        index.as<int32_t>()[i] = i == bad ? 50 : (i * 7) % 50;
      EXPECT_EQ(kernel.run({table.data(), index.data(), result.data()}, {n}), bad < 0 ? 0 : 1);
      for (int64_t i = 0; i < n; ++i)
        if (i != bad)
          EXPECT_EQ(result.as<float>()[i], (i * 7) % 50);
    }
}

TEST_P(Movement, BooleansTakeAByte) {
  CompiledKernel kernel(R"(func.func @b(%x: tensor<?xf32>, %m: tensor<?xi1>, %n: index, %n1: index) -> tensor<?xi1> {
    %e = tensor.empty(%n) : tensor<?xi1>
    %r = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]} ins(%x, %m : tensor<?xf32>, tensor<?xi1>) outs(%e : tensor<?xi1>) {
    ^bb0(%a: f32, %b: i1, %o: i1):
      %z = arith.constant 10.0 : f32
      %c = arith.cmpf ogt, %a, %z : f32
      %y = arith.andi %b, %c : i1
      linalg.yield %y : i1 } -> tensor<?xi1>
    return %r : tensor<?xi1> })",
                        GetParam());
  ASSERT_EQ(kernel.error(), "");
  const int64_t n = 45;
  GuardedArray x(n * 4), mask(n), result(n);
  std::iota(x.as<float>().begin(), x.as<float>().end(), 0.f);
  for (int64_t i = 0; i < n; ++i)
    mask.as<uint8_t>()[i] = i % 3 != 0;
  ASSERT_EQ(kernel.run({x.data(), mask.data(), result.data()}, {n, n}), 0);
  for (int64_t i = 0; i < n; ++i)
    EXPECT_EQ(result.as<uint8_t>()[i], i > 10 && i % 3 != 0) << i;
}

TEST_P(Movement, Integers) {
  CompiledKernel kernel(R"(func.func @m(%a: tensor<5x9xi32>, %b: tensor<9x33xi32>) -> tensor<5x33xi64> {
    %z = arith.constant 0 : i32
    %e = tensor.empty() : tensor<5x33xi32>
    %e1 = tensor.empty() : tensor<5x33xi64>
    %f = linalg.fill ins(%z : i32) outs(%e : tensor<5x33xi32>) -> tensor<5x33xi32>
    %r = linalg.matmul ins(%a, %b : tensor<5x9xi32>, tensor<9x33xi32>) outs(%f : tensor<5x33xi32>) -> tensor<5x33xi32>
    %w = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%r : tensor<5x33xi32>) outs(%e1 : tensor<5x33xi64>) {
    ^bb0(%x: i32, %o: i64):
      %y = arith.extsi %x : i32 to i64
      linalg.yield %y : i64 } -> tensor<5x33xi64>
    return %w : tensor<5x33xi64> })",
                        GetParam());
  ASSERT_EQ(kernel.error(), "");
  GuardedArray a(180), b(9 * 33 * 4), r(5 * 33 * 8);
  std::iota(a.as<int32_t>().begin(), a.as<int32_t>().end(), -20);
  std::iota(b.as<int32_t>().begin(), b.as<int32_t>().end(), -99);
  ASSERT_EQ(kernel.run({a.data(), b.data(), r.data()}, {}), 0);
  for (int64_t i = 0; i < 5; ++i)
    for (int64_t j = 0; j < 33; ++j) {
      int64_t sum = 0;
      for (int64_t k = 0; k < 9; ++k)
        sum += (i * 9 + k - 20) * (k * 33 + j - 99);
      EXPECT_EQ(r.as<int64_t>()[i * 33 + j], sum);
    }
}

TEST(Codegen, BytesAreDeterministic) {
  CompiledKernel a(kGather), b(kGather);
  ASSERT_EQ(a.error(), "");
  EXPECT_TRUE(std::equal(a.object().begin(), a.object().end(), b.object().begin(), b.object().end()));
  EXPECT_FALSE(a.object().empty());
}

TEST(Codegen, NoSymbolFromOutside) {
  CompiledKernel kernel(R"(func.func @s(%x: tensor<8xi64>) -> tensor<8xi64> {
    %e = tensor.empty() : tensor<8xi64>
    %r = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]} ins(%x : tensor<8xi64>) outs(%e : tensor<8xi64>) {
    ^bb0(%a: i64, %o: i64):
      %y = math.ipowi %a, %a : i64
      linalg.yield %y : i64 } -> tensor<8xi64>
    return %r : tensor<8xi64> })");
  EXPECT_NE(kernel.error().find("math.ipowi"), std::string::npos) << kernel.error();
}
