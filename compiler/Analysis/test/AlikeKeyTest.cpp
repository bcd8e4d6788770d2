// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Analysis/AlikeKey.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::heddle;

namespace {

struct AlikeKeyTest : testing::Test {
  AlikeKeyTest() { context.loadDialect<arith::ArithDialect, func::FuncDialect, scf::SCFDialect>(); }

  // Of the module's first op.
  AlikeKey keyOf(const std::string &text) {
    auto module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    return alikeKeyOf(&module->getBody()->front());
  }

  MLIRContext context;
};

TEST_F(AlikeKeyTest, NamesOfTheOpAndLocationsDoNotCount) {
  EXPECT_EQ(keyOf("func.func @f(%a: i32) -> i32 { %0 = arith.addi %a, %a : i32 loc(\"here\") return %0 : i32 }"),
            keyOf("\n\nfunc.func @g(%x: i32) -> i32 {\n %1 = arith.addi %x, %x : i32\n return %1 : i32 }"));
}

TEST_F(AlikeKeyTest, AllElseCounts) {
  const char *const texts[] = {
      "func.func @f(%a: i32, %b: i32) -> i32 { %0 = arith.addi %a, %b : i32 return %0 : i32 }",
      "func.func @f(%a: i32, %b: i32) -> i32 { %0 = arith.addi %b, %a : i32 return %0 : i32 }",
      "func.func @f(%a: i32, %b: i32) -> i32 { %0 = arith.subi %a, %b : i32 return %0 : i32 }",
      "func.func @f(%a: i64, %b: i64) -> i64 { %0 = arith.addi %a, %b : i64 return %0 : i64 }",
      "func.func @f(%a: i32, %b: i32) -> i32 { %0 = arith.addi %a, %b : i32 return %a : i32 }",
      "func.func @f(%a: i32, %b: i32) -> i32 { %0 = arith.addi %a, %b {mark} : i32 return %0 : i32 }",
      "func.func @f(%a: i32, %b: i32) -> i32 { %0 = arith.addi %a, %b overflow<nsw> : i32 return %0 : i32 }",
      "func.func @f(%a: i32 {mark.m}, %b: i32) -> i32 { %0 = arith.addi %a, %b : i32 return %0 : i32 }",
      "func.func private @f(%a: i32, %b: i32) -> i32 { %0 = arith.addi %a, %b : i32 return %0 : i32 }",
      "func.func private @f(%a: i32, %b: i32) -> i32",
      "func.func @f(%a: i32) -> i32 { %0 = arith.constant 1 : i32 return %0 : i32 }",
      "func.func @f(%a: i32) -> i32 { %0 = arith.constant 2 : i32 return %0 : i32 }",
      "func.func @f(%a: i32, %c: i1) { scf.if %c { %0 = arith.addi %a, %a : i32 } return }",
      "func.func @f(%a: i32, %c: i1) { scf.if %c { } %0 = arith.addi %a, %a : i32 return }",
      "func.func @f(%a: i32, %c: i1) { scf.if %c { } else { %0 = arith.addi %a, %a : i32 } return }",
  };
  context.allowUnregisteredDialects();
  for (size_t i = 0; i < std::size(texts); ++i)
    for (size_t j = 0; j <= i; ++j)
      EXPECT_EQ(keyOf(texts[i]) == keyOf(texts[j]), i == j) << texts[i] << "\n" << texts[j];
}

// What an op takes from outside is what it is, not a place.
TEST_F(AlikeKeyTest, ValuesFromOutside) {
  auto module = parseSourceString<ModuleOp>("func.func @f(%a: i32, %b: i32, %c: i1) {\n"
                                            "  scf.if %c { %0 = arith.addi %a, %a : i32 }\n"
                                            "  scf.if %c { %0 = arith.addi %a, %a : i32 }\n"
                                            "  scf.if %c { %0 = arith.addi %b, %b : i32 }\n"
                                            "  return }",
                                            &context);
  ASSERT_TRUE(module);
  std::vector<AlikeKey> keys;
  module->walk([&](scf::IfOp branch) { keys.push_back(alikeKeyOf(branch)); });
  ASSERT_EQ(keys.size(), 3u);
  EXPECT_EQ(keys[0], keys[1]);
  EXPECT_NE(keys[0], keys[2]);
}

} // namespace
