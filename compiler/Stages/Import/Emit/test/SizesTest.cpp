// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Emit/Sizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::heddle::importer;

namespace {

class SizesTest : public ::testing::Test {
protected:
  SizesTest() : module(ModuleOp::create(UnknownLoc::get(&context))), builder(&context), sizes(builder) {
    context.loadDialect<arith::ArithDialect>();
    builder.setInsertionPointToEnd(module->getBody());
    batch = dimension();
    seq = dimension();
  }

  Value opaque() {
    OperationState state(builder.getUnknownLoc(), "builtin.unrealized_conversion_cast");
    state.addTypes(builder.getIndexType());
    return builder.create(state)->getResult(0);
  }
  OpFoldResult dimension(bool nonNegative = true) { return sizes.atom(opaque(), nonNegative); }
  OpFoldResult data(Sizes::Range range) { return sizes.integer(opaque(), range); }
  OpFoldResult c(int64_t value) { return sizes.constant(value); }
  size_t opCount() { return std::distance(module->getBody()->begin(), module->getBody()->end()); }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  OpBuilder builder;
  Sizes sizes;
  OpFoldResult batch, seq;
};

TEST_F(SizesTest, EqualExpressionsAreOneValue) {
  OpFoldResult a = sizes.add(sizes.mul(batch, seq), c(3)), b = sizes.add(c(3), sizes.mul(seq, batch));
  EXPECT_EQ(a, b);
  EXPECT_TRUE(sizes.equal(a, b));
  EXPECT_FALSE(sizes.equal(batch, seq));
}

TEST_F(SizesTest, ConstantsFoldWithoutOps) {
  size_t before = opCount();
  EXPECT_EQ(getConstantIntValue(sizes.sub(sizes.add(batch, c(5)), batch)), 5);
  EXPECT_EQ(getConstantIntValue(sizes.floorDiv(c(-7), c(2))), -4);
  EXPECT_EQ(getConstantIntValue(sizes.ceilDiv(c(7), c(2))), 4);
  EXPECT_EQ(opCount(), before + 2); // batch + 5 and its constant
}

TEST_F(SizesTest, DivisionCancelsFactors) {
  OpFoldResult count = sizes.product({batch, c(12), seq});
  EXPECT_EQ(sizes.floorDiv(count, sizes.mul(seq, c(6))), sizes.mul(batch, c(2)));
  EXPECT_FALSE(sizes.exactDiv(batch, c(2)).has_value());
  EXPECT_EQ(sizes.floorDiv(batch, c(2)), sizes.floorDiv(batch, c(2)));
}

TEST_F(SizesTest, MinimaOfWhatIsProvablyOrdered) {
  EXPECT_EQ(sizes.min(batch, sizes.add(batch, seq)), batch);
  EXPECT_EQ(sizes.max(c(0), batch), batch);
  OpFoldResult capped = sizes.min(seq, c(512));
  EXPECT_TRUE(sizes.lessEqual(capped, seq));
  EXPECT_TRUE(sizes.lessEqual(capped, c(512)));
  EXPECT_FALSE(sizes.lessEqual(seq, capped));
}

TEST_F(SizesTest, UnknownSignProvesNothing) {
  OpFoldResult offset = dimension(/*nonNegative=*/false);
  EXPECT_FALSE(sizes.isNonNegative(offset));
  EXPECT_FALSE(sizes.lessEqual(batch, sizes.add(batch, offset)));
  EXPECT_TRUE(sizes.isNonNegative(sizes.max(c(0), offset)));
}

TEST_F(SizesTest, IntegersWrapWhereTheyMayOverflow) {
  EXPECT_EQ(getConstantIntValue(sizes.wrap(c(int64_t(1) << 31), 32)), -(int64_t(1) << 31));
  OpFoldResult counter = data({0, 99}), any = data({INT32_MIN, INT32_MAX});
  EXPECT_EQ(sizes.wrap(sizes.add(counter, c(1)), 32), sizes.add(counter, c(1)));
  OpFoldResult twice = sizes.add(any, any), wrapped = sizes.wrap(twice, 32);
  EXPECT_FALSE(sizes.equal(twice, wrapped));
  EXPECT_EQ(sizes.wrap(twice, 32), wrapped);
  EXPECT_EQ(sizes.wrap(wrapped, 32), wrapped);
  EXPECT_EQ(sizes.range(wrapped).least, INT32_MIN);
  EXPECT_EQ(sizes.range(wrapped).most, INT32_MAX);
}

TEST_F(SizesTest, OnlyProductsOfSizesDoNotOverflow) {
  EXPECT_TRUE(sizes.isNonNegative(sizes.product({batch, seq, batch, seq})));
  EXPECT_TRUE(sizes.isExtent(sizes.add(batch, sizes.min(seq, c(7)))));
  OpFoldResult many = data({0, INT64_MAX}), counter = data({0, Sizes::kMostElements});
  EXPECT_TRUE(sizes.isNonNegative(many));
  EXPECT_FALSE(sizes.isNonNegative(sizes.add(many, many)));
  EXPECT_FALSE(sizes.isExtent(sizes.add(batch, many)));
  EXPECT_TRUE(sizes.isNonNegative(sizes.product({batch, seq, counter})));
  EXPECT_FALSE(sizes.isNonNegative(sizes.product({counter, counter, counter})));
  OpFoldResult size = sizes.max(c(0), data({INT64_MIN, INT64_MAX}));
  EXPECT_FALSE(sizes.isExtent(size));
  sizes.markExtent(size);
  EXPECT_TRUE(sizes.isExtent(sizes.mul(size, batch)));
}

TEST_F(SizesTest, DifferencesThatOverflowProveNothing) {
  OpFoldResult least = c(INT64_MIN), most = c(INT64_MAX), sum = sizes.add(batch, c(2));
  EXPECT_FALSE(sizes.lessEqual(batch, least));
  EXPECT_FALSE(sizes.lessEqual(sum, least));
  EXPECT_FALSE(sizes.lessEqual(most, least));
  EXPECT_NE(getConstantIntValue(sizes.isLess(most, batch)), 1);
  EXPECT_NE(getConstantIntValue(sizes.isLess(sum, least)), 1);
  EXPECT_NE(sizes.min(sum, least), sum);
  EXPECT_NE(sizes.max(least, sum), least);
  EXPECT_TRUE(sizes.lessEqual(batch, sum));
  EXPECT_TRUE(sizes.different(batch, sum));
}

TEST_F(SizesTest, PowersOfSumsStaySmall) {
  OpFoldResult power = sizes.add(batch, seq);
  for (int i = 0; i < 40; ++i)
    power = sizes.mul(power, power);
  EXPECT_LT(opCount(), 1000U);
  EXPECT_TRUE(sizes.isNonNegative(power));
}

TEST_F(SizesTest, CapIsOneOnlyWithItsSize) {
  EXPECT_TRUE(sizes.isCapOf(sizes.min(seq, c(512)), seq));
  EXPECT_FALSE(sizes.isCapOf(sizes.min(seq, c(1)), seq));
  EXPECT_FALSE(sizes.isCapOf(sizes.min(seq, c(512)), batch));
}

TEST_F(SizesTest, DifferentIsMoreThanNotEqual) {
  EXPECT_TRUE(sizes.different(batch, sizes.add(batch, c(1))));
  EXPECT_TRUE(sizes.different(batch, c(-1)));
  EXPECT_FALSE(sizes.different(batch, seq));
}

TEST_F(SizesTest, ConditionsAreZeroOrOne) {
  EXPECT_EQ(getConstantIntValue(sizes.isEqual(sizes.add(batch, c(1)), sizes.add(c(1), batch))), 1);
  EXPECT_EQ(getConstantIntValue(sizes.isEqual(batch, sizes.add(batch, c(1)))), 0);
  EXPECT_EQ(getConstantIntValue(sizes.isLess(batch, c(0))), 0);
  OpFoldResult unknown = sizes.isEqual(batch, seq);
  EXPECT_FALSE(getConstantIntValue(unknown));
  EXPECT_EQ(unknown, sizes.isEqual(batch, seq));
  EXPECT_TRUE(sizes.isNonNegative(unknown));
}

TEST_F(SizesTest, AssumedEquationsSimplify) {
  // seq / 3 + 1 == 1
  OpFoldResult steps = sizes.add(sizes.floorDiv(seq, c(3)), c(1)), isOne = sizes.isEqual(steps, c(1));
  OpFoldResult isNot = sizes.sub(c(1), isOne), elements = sizes.mul(batch, steps);
  SizeTables before = sizes.save();
  sizes.assume(isOne, true);
  EXPECT_EQ(getConstantIntValue(sizes.simplify(steps)), 1);
  EXPECT_TRUE(sizes.equal(elements, batch));
  EXPECT_EQ(getConstantIntValue(sizes.simplify(isNot)), 0);
  sizes.restore(before);
  EXPECT_FALSE(getConstantIntValue(sizes.simplify(steps)));
  sizes.assume(isOne, false);
  EXPECT_FALSE(getConstantIntValue(sizes.simplify(steps)));
  EXPECT_EQ(getConstantIntValue(sizes.simplify(isNot)), 1);
}

TEST_F(SizesTest, OneDimensionStandsForTheOther) {
  OpFoldResult twice = sizes.mul(batch, c(2));
  sizes.assume(sizes.isEqual(sizes.add(batch, c(1)), seq), true);
  EXPECT_TRUE(sizes.equal(twice, sizes.sub(sizes.mul(seq, c(2)), c(2))));
  EXPECT_FALSE(sizes.equal(batch, seq));
}

TEST_F(SizesTest, OnlySizesOfOutsideLeaveARegion) {
  SizeTables outside = sizes.save();
  OpFoldResult inner = dimension(), sum = sizes.add(batch, seq), mixed = sizes.add(inner, batch);
  SizeTables region = sizes.save();
  sizes.restore(outside);
  std::optional<OpFoldResult> left = sizes.transfer(region, sum);
  ASSERT_TRUE(left);
  EXPECT_NE(*left, sum); // computed anew: the region's value is not visible here
  EXPECT_TRUE(sizes.equal(*left, sizes.add(seq, batch)));
  EXPECT_FALSE(sizes.transfer(region, inner));
  EXPECT_FALSE(sizes.transfer(region, mixed));
  EXPECT_EQ(getConstantIntValue(*sizes.transfer(region, c(5))), 5);
}

} // namespace
