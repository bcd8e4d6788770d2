// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How columns lie comes with the operand: the layout says it, not the map.
#include "compiler/Codegen/Plan/Panels.h"
#include "compiler/Codegen/test/Dispatches.h"
#include "compiler/Dialect/Encoding/IR/OperandLayouts.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;
using ::heddle::test::operandLayouts;

namespace {

struct PanelsTest : testing::Test {
  PanelsTest() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect, encoding::EncodingDialect>();
  }

  // Of the columns of a product over loops m, n, k whose right side has this type, map and attribute.
  Panels panels(const std::string &type, const std::string &map, const std::string &attribute) {
    std::string text = "func.func @f(%x: tensor<4x8xf32>, %w: tensor<" + type +
                       "xf32>, %z: tensor<4x32xf32>) { %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> "
                       "(m, k)>, affine_map<(m, n, k) -> (" +
                       map +
                       ")>, affine_map<(m, n, k) -> (m, n)>], iterator_types = [\"parallel\", \"parallel\", "
                       "\"reduction\"]" +
                       attribute + "} ins(%x, %w : tensor<4x8xf32>, tensor<" + type +
                       "xf32>) outs(%z : tensor<4x32xf32>) {\n^bb0(%a: f32, %b: f32, %c: f32):\n"
                       "linalg.yield %c : f32 } -> tensor<4x32xf32> return }";
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    linalg::GenericOp op;
    module->walk([&](linalg::GenericOp found) { op = found; });
    return panelsOf(op->getOpOperand(1), /*lane=*/1);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(PanelsTest, OfColumns) {
  Panels found = panels("2x8x16", "n floordiv 16, k, n mod 16",
                        operandLayouts("perm = [1, 0], inner_dims = [1], inner_tiles = [16]"));
  EXPECT_EQ(found.columns, 16);
  EXPECT_TRUE(found.arePlain() && found.isWhole && found.endWith(1, {2}));
  EXPECT_FALSE(found.endWith(1, {2, 0}) || found.endWith(2, {1}));
}

TEST_F(PanelsTest, OfGroups) {
  Panels found = panels("2x2x16x4", "n floordiv 16, k floordiv 4, n mod 16, k mod 4",
                        operandLayouts("perm = [1, 0], inner_dims = [1, 0], inner_tiles = [16, 4]"));
  EXPECT_EQ(found.columns, 16);
  EXPECT_FALSE(found.arePlain());
  EXPECT_TRUE(found.areGroups(4, 2) && found.endWith(1, {2}));
  EXPECT_FALSE(found.areGroups(2, 2) || found.areGroups(4, 0));
}

// The reduction is cut, too, outside of the columns: panels, but not all of their order is known.
TEST_F(PanelsTest, OfColumnsAmongOtherTiles) {
  Panels found = panels("2x1x8x16", "n floordiv 16, k floordiv 8, k mod 8, n mod 16",
                        operandLayouts("perm = [1, 0], inner_dims = [0, 1], inner_tiles = [8, 16]"));
  EXPECT_EQ(found.columns, 16);
  EXPECT_TRUE(found.arePlain());
  EXPECT_FALSE(found.isWhole || found.endWith(1, {2}));
}

// A map that looks like a panel's is none by itself, nor is a layout in which something else is cut.
TEST_F(PanelsTest, NotOfMapsAlone) {
  EXPECT_EQ(panels("2x8x16", "n floordiv 16, k, n mod 16", "").columns, 0);
  EXPECT_EQ(
      panels("1x32x8", "k floordiv 8, n, k mod 8", operandLayouts("perm = [0, 1], inner_dims = [0], inner_tiles = [8]"))
          .columns,
      0);
}

TEST_F(PanelsTest, AnIndexIsFoundBehindItsTiles) {
  auto layout = cast<encoding::LayoutAttr>(parseAttribute(
      "#encoding.layout<perm = [1, 0], inner_dims = [1, 0], inner_tiles = [16, 4], swizzle = []>", &context));
  AffineExpr i = getAffineDimExpr(0, &context), j = getAffineDimExpr(1, &context);
  for (SmallVector<AffineExpr> index :
       {SmallVector<AffineExpr>{i, j}, {i * 2 + j, j}, {i * 4, j * 16}, {getAffineConstantExpr(9, &context), i}}) {
    auto found = encoding::getLogicalIndex(layout, encoding::getPhysicalIndex(layout, index));
    ASSERT_TRUE(found);
    EXPECT_EQ(*found, index);
  }
  EXPECT_FALSE(encoding::getLogicalIndex(layout, {i, j, i, j}));
}

} // namespace
