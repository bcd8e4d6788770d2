// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays under other shapes: the same elements as those of a copy, and no copy where strides can say it.
#include "compiler/Evaluation/Array.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace mlir;
using namespace mlir::heddle::evaluation;

namespace {

struct ArrayTest : testing::Test {
  MLIRContext context{MLIRContext::Threading::DISABLED};

  // 0, 1, 2, …
  Array counting(ArrayRef<int64_t> shape) {
    char *data;
    Array array = Array::allocate(Builder(&context).getI32Type(), shape, data);
    std::iota(reinterpret_cast<int32_t *>(data), reinterpret_cast<int32_t *>(data) + array.count(), 0);
    return array;
  }
};

std::vector<int32_t> elementsOf(const Array &array) {
  Array dense = array.dense();
  const auto *first = reinterpret_cast<const int32_t *>(dense.origin);
  return {first, first + dense.count()};
}

TEST_F(ArrayTest, ReshapedKeepsTheOrder) {
  Array base = counting({4, 6, 1, 10});
  for (const std::vector<int64_t> &order :
       std::vector<std::vector<int64_t>>{{0, 1, 2, 3}, {3, 0, 2, 1}, {1, 0, 3, 2}, {2, 3, 1, 0}, {0, 3, 1, 2}}) {
    Array moved = base.permuted(order);
    for (const std::vector<int64_t> &shape :
         std::vector<std::vector<int64_t>>{{240}, {24, 10}, {1, 10, 1, 24, 1}, {2, 2, 3, 2, 2, 5}, {10, 4, 6}, {6, 40}})
      EXPECT_EQ(elementsOf(moved.reshaped(shape)), elementsOf(moved)) << order[0] << " " << shape.size();
  }
  Array part = base.sliced({1, 0, 0, 2}, {3, 6, 1, 4}, {1, 1, 1, 2});
  for (const std::vector<int64_t> &shape : std::vector<std::vector<int64_t>>{{72}, {18, 4}, {3, 3, 2, 2, 2}, {9, 8}})
    EXPECT_EQ(elementsOf(part.reshaped(shape)), elementsOf(part));
  EXPECT_EQ(counting({0, 3}).reshaped({3, 0, 5}).count(), 0);
}

TEST_F(ArrayTest, SplittingATransposedMatrixIsAView) {
  Array columns = counting({32, 8}).permuted({1, 0});
  Array panels = columns.reshaped({8, 2, 16});
  EXPECT_EQ(panels.origin, columns.origin);
  EXPECT_NE(columns.reshaped({16, 16}).origin, columns.origin);
}

TEST_F(ArrayTest, EqualElements) {
  Array array = counting({3, 5});
  EXPECT_FALSE(array.permuted({1, 0}).hasEqualElements());
  EXPECT_TRUE(array.sliced({1, 2}, {1, 1}, {1, 1}).hasEqualElements());
  char *data;
  Array sevens = Array::allocate(Builder(&context).getI32Type(), {3, 5}, data);
  auto *values = reinterpret_cast<int32_t *>(data);
  std::fill_n(values, 15, 7);
  EXPECT_TRUE(sevens.permuted({1, 0}).hasEqualElements());
  values[14] = 8;
  EXPECT_FALSE(sevens.permuted({1, 0}).hasEqualElements());
  EXPECT_TRUE(sevens.sliced({0, 0}, {3, 4}, {1, 1}).hasEqualElements());
}

} // namespace
