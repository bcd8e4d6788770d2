// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of a graph of thirty ops what is interesting is left, and no more is asked than the budget allows.
#include "tools/reduce/Reducer.h"
#include "tools/reduce/Survives.h"

#include "compiler/Pipelines/Stages.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::heddle;

namespace {

// A chain of `count` elementwise ops in one function; the `special`-th is a subtraction, or else `math.sin`.
std::string chain(int count, int special, const std::string &op) {
  std::string text = R"(
#rows = affine_map<(m, n) -> (m, n)>
func.func @main(%x: tensor<6x24xf32>, %y: tensor<6x24xf32>)
    -> (tensor<6x24xf32>, tensor<6x24xf32>) {
  %e = tensor.empty() : tensor<6x24xf32>
)";
  std::string before = "x", other = "y";
  for (int i = 0; i < count; ++i) {
    std::string name = "v" + std::to_string(i);
    std::string body = i == special ? op : i % 2 ? "arith.addf %a, %b : f32" : "arith.maximumf %a, %b : f32";
    text += "  %" + name +
            " = linalg.generic {indexing_maps = [#rows, #rows, #rows], iterator_types = [\"parallel\", " +
            "\"parallel\"]} ins(%" + before + ", %" + other + " : tensor<6x24xf32>, tensor<6x24xf32>) " +
            "outs(%e : tensor<6x24xf32>) {\n    ^bb0(%a: f32, %b: f32, %o: f32):\n      %r = " + body +
            "\n      linalg.yield %r : f32\n    } -> tensor<6x24xf32>\n";
    other = before;
    before = name;
  }
  return text + "  return %" + before + ", %" + other + " : tensor<6x24xf32>, tensor<6x24xf32>\n}\n";
}

struct ReduceTest : testing::Test {
  ReduceTest() {
    registerDialects(registry);
    context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  }
  OwningOpRef<ModuleOp> parse(const std::string &text) { return parseSourceString<ModuleOp>(text, context.get()); }
  std::string spell(ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream(text) << module;
    return text;
  }
  DialectRegistry registry;
  std::unique_ptr<MLIRContext> context;
};

unsigned genericsOf(ModuleOp module) {
  unsigned count = 0;
  module.walk([&](linalg::GenericOp) { ++count; });
  return count;
}

TEST_F(ReduceTest, OneOpIsLeft) {
  OwningOpRef<ModuleOp> module = parse(chain(30, 17, "math.sin %a : f32"));
  ASSERT_TRUE(module);
  Reduction reduction = reduce(
      *module,
      [](ModuleOp each) { return each.walk([](math::SinOp) { return WalkResult::interrupt(); }).wasInterrupted(); },
      1000);
  EXPECT_TRUE(reduction.complete);
  EXPECT_EQ(genericsOf(*reduction.module), 1u) << spell(*reduction.module);
  EXPECT_EQ(countOps(*reduction.module), 2u); // the generic and the sine in it
  EXPECT_TRUE(succeeded(verify(*reduction.module)));
  EXPECT_EQ(spell(*reduction.module).find("x24x"), std::string::npos); // the dimension became one
  EXPECT_LT(reduction.tests, 200u);
}

TEST_F(ReduceTest, BudgetIsKept) {
  OwningOpRef<ModuleOp> module = parse(chain(30, 17, "math.sin %a : f32"));
  unsigned asked = 0;
  Reduction reduction = reduce(*module, [&](ModuleOp) { return ++asked, false; }, 5);
  EXPECT_EQ(asked, 5u);
  EXPECT_EQ(reduction.tests, 5u);
  EXPECT_FALSE(reduction.complete);
  EXPECT_EQ(genericsOf(*reduction.module), 30u);
}

TEST(SurvivesTest, TellsACrashFromAnEnd) {
  int here = 0;
  EXPECT_TRUE(survives([&] { here = 1; }));
  EXPECT_EQ(here, 0); // the work was a copy's
  EXPECT_FALSE(survives([] { std::abort(); }));
  EXPECT_FALSE(survives([] { __builtin_trap(); }));
}

} // namespace
