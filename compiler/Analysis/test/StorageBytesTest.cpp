// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Analysis/StorageBytes.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::heddle;
namespace contract = ::heddle::contract;

namespace {

struct StorageBytesTest : testing::Test {
  Type parse(StringRef text) { return parseType(text, &context); }
  std::optional<int64_t> tensor(StringRef text) { return tensorBytes(cast<ShapedType>(parse(text))); }

  MLIRContext context{MLIRContext::Threading::DISABLED};
};

} // namespace

TEST_F(StorageBytesTest, AsTheArtifact) {
  for (uint8_t i = 1; i < contract::kElementTypes; ++i) {
    auto type = static_cast<contract::ElementType>(i);
    std::string_view text = contract::spelling(type);
    EXPECT_EQ(storageBytes(parse(text)), contract::byteSize(type)) << text;
    EXPECT_EQ(storageBytes(parse(text), 7), contract::storageBytes(type, 7)) << text;
  }
}

TEST_F(StorageBytesTest, OtherElements) {
  EXPECT_EQ(storageBytes(parse("index")), 8);
  EXPECT_EQ(storageBytes(parse("i24")), 3);
  EXPECT_EQ(storageBytes(parse("complex<f32>")), 8);
  EXPECT_EQ(storageBytes(parse("complex<f64>")), 16);
  EXPECT_EQ(storageBytes(parse("vector<4x2xi1>")), 8);
  EXPECT_FALSE(isStored(parse("tensor<4xf32>")));
  EXPECT_FALSE(isStored(parse("none")));
  EXPECT_DEATH(storageBytes(parse("tensor<4xf32>")), "no element's");
}

TEST_F(StorageBytesTest, Tensors) {
  EXPECT_EQ(tensor("tensor<2x3xbf16>"), 12);
  EXPECT_EQ(tensor("tensor<f64>"), 8);
  EXPECT_EQ(tensor("tensor<64xi1>"), 64); // not 8: booleans share no byte
  EXPECT_EQ(tensor("memref<3xi4>"), 3);
  EXPECT_EQ(tensor("tensor<?xf32>"), std::nullopt);
  EXPECT_EQ(tensor("tensor<4611686018427387904x4xf32>"), std::nullopt);
  EXPECT_EQ(tensor("tensor<4611686018427387904x4x0xf32>"), 0);
}

TEST_F(StorageBytesTest, WhatIsNoSize) {
  EXPECT_EQ(storageBytes(parse("f32"), -1), std::nullopt);
  EXPECT_EQ(storageBytes(parse("f32"), INT64_MAX / 2), std::nullopt);
}
