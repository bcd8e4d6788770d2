#include "compiler/Stages/Import/Onnx/Sizes.h"

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

  // An opaque index value.
  OpFoldResult dimension(bool nonNegative = true) {
    OperationState state(builder.getUnknownLoc(), "builtin.unrealized_conversion_cast");
    state.addTypes(builder.getIndexType());
    return sizes.atom(builder.create(state)->getResult(0), nonNegative);
  }
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

} // namespace
