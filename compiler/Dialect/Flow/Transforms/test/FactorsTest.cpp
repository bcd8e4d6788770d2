// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Transforms/Factors.h"

#include "compiler/Dialect/Flow/IR/FlowCollectives.h"
#include "compiler/Dialect/Flow/IR/FlowRows.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::flow;

namespace {

struct FactorsTest : testing::Test {
  FactorsTest() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect, math::MathDialect,
                        scf::SCFDialect, tensor::TensorDialect, FlowDialect, HeddleDialect, device::DeviceDialect>();
  }

  // The factors of the op whose first result the function of this body returns.
  std::optional<Factors> find(const std::string &arguments, const std::string &body) {
    module = parseSourceString<ModuleOp>(
        "device.mesh @m = [x = 2]\nfunc.func @f(" + arguments + ") { " + body + " return }", &context);
    EXPECT_TRUE(module);
    if (!module)
      return std::nullopt;
    Operation *last = (*module->getOps<func::FuncOp>().begin()).getBody().front().getTerminator()->getPrevNode();
    return findFactors(last);
  }

  std::string describe(const std::string &arguments, const std::string &body) {
    std::optional<Factors> found = find(arguments, body);
    return found ? found->describe() : "none";
  }

  ShardingAttr sharding(const char *text) {
    return cast<ShardingAttr>(parseAttribute("#flow.sharding<@m, " + std::string(text) + ">", &context));
  }
  GranuleAttr granule(int64_t factor, ArrayRef<StringRef> names = {}) {
    SmallVector<StringAttr> attributes;
    for (StringRef name : names)
      attributes.push_back(StringAttr::get(&context, name));
    return GranuleAttr::get(&context, factor, attributes);
  }
  static std::string text(Attribute attribute) {
    std::string text;
    llvm::raw_string_ostream(text) << attribute;
    return text;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

constexpr const char *kMatmul = "%r = linalg.matmul ins(%a, %b : tensor<8x32xf32>, tensor<32x16xf32>) "
                                "outs(%c : tensor<8x16xf32>) -> tensor<8x16xf32>";
constexpr const char *kMatmulArguments = "%a: tensor<8x32xf32>, %b: tensor<32x16xf32>, %c: tensor<8x16xf32>";

TEST_F(FactorsTest, LoopsOfAProduct) {
  EXPECT_EQ(describe(kMatmulArguments, kMatmul), "0 parallel 8, 1 parallel 16, 2 reduced sum 32; "
                                                 "([[0], [2]], [[2], [1]], [[0], [1]]) -> ([[0], [1]])");
}

TEST_F(FactorsTest, ShardingsOfAProduct) {
  std::optional<Factors> found = find(kMatmulArguments, kMatmul);
  ASSERT_TRUE(found);
  ShardingAttr loops = sharding(R"([["x"], [], ["y", "z"] by 4])");
  EXPECT_EQ(operandSharding(*found, 0, loops), sharding(R"([["x"], ["y", "z"] by 4])"));
  EXPECT_EQ(operandSharding(*found, 1, loops), sharding(R"([["y", "z"] by 4, []])"));
  EXPECT_EQ(operandSharding(*found, 2, loops), sharding(R"([["x"], []])"));
  EXPECT_EQ(resultSharding(*found, 0, loops), sharding(R"([["x"], []], partial sum ["y", "z"])"));
}

// What combines elements of a type that no collective combines so, and what parts cannot combine, is whole.
TEST_F(FactorsTest, ReductionsThatCannotBeCut) {
  auto reduce = [&](const std::string &combiner, const std::string &type) {
    return describe("%x: tensor<4x8x" + type + ">, %i: tensor<4x" + type + ">",
                    "%r = linalg.reduce ins(%x : tensor<4x8x" + type + ">) outs(%i : tensor<4x" + type +
                        ">) dimensions = [1] (%e: " + type + ", %a: " + type + ") { %s = " + combiner +
                        " %a, %e : " + type + " linalg.yield %s : " + type + " }");
  };
  EXPECT_EQ(reduce("arith.maximumf", "f32"), "0 parallel 4, 1 reduced max 8; ([[0], [1]], [[0]]) -> ([[0]])");
  EXPECT_EQ(reduce("arith.maxui", "i32"), "0 parallel 4, 1 reduced umax 8; ([[0], [1]], [[0]]) -> ([[0]])");
  EXPECT_EQ(reduce("arith.ori", "i1"), "0 parallel 4, 1 reduced or 8; ([[0], [1]], [[0]]) -> ([[0]])");
  EXPECT_EQ(reduce("arith.maxsi", "i1"), "0 parallel 4, 1 reduced and 8; ([[0], [1]], [[0]]) -> ([[0]])");
  EXPECT_EQ(reduce("arith.addi", "i4"), "0 parallel 4, 1 whole 8 (no collective combines arith.addi of its elements); "
                                        "([[0], [1]], [[0]]) -> ([[0]])");
  EXPECT_EQ(reduce("arith.subf", "f32"), "0 parallel 4, 1 whole 8 (nothing is neutral to arith.subf); "
                                         "([[0], [1]], [[0]]) -> ([[0]])");
}

// Windows read a range of their operand, which is whole; what turns positions around is whole itself.
TEST_F(FactorsTest, WindowsAndOtherPositions) {
  EXPECT_EQ(describe("%x: tensor<2x9x3xf32>, %k: tensor<3x3x5xf32>, %o: tensor<2x4x5xf32>",
                     "%r = linalg.conv_1d_nwc_wcf {strides = dense<2> : tensor<1xi64>} ins(%x, %k : tensor<2x9x3xf32>, "
                     "tensor<3x3x5xf32>) outs(%o : tensor<2x4x5xf32>) -> tensor<2x4x5xf32>"),
            "0 parallel 2, 1 parallel 4, 2 parallel 5, 3 reduced sum 3, 4 reduced sum 3; "
            "([[0], [], [4]], [[3], [4], [2]], [[0], [1], [2]]) -> ([[0], [1], [2]])");
  EXPECT_EQ(describe("%x: tensor<4x3xf32>, %o: tensor<8x3xf32>",
                     "%r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 floordiv 2, d1)>, "
                     "affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [\"parallel\", \"parallel\"]} ins(%x : "
                     "tensor<4x3xf32>) outs(%o : tensor<8x3xf32>) { ^bb0(%e: f32, %p: f32): linalg.yield %e : f32 } -> "
                     "tensor<8x3xf32>"),
            "0 whole 8 (a part of it does not read a range of its operand), 1 parallel 3; "
            "([[], [1]], [[0], [1]]) -> ([[0], [1]])");
}

// An embedding: its columns are the result's, its rows are looked up in one of the parts.
TEST_F(FactorsTest, CapturedTensors) {
  EXPECT_EQ(
      describe("%w: tensor<50x6xf32>, %ids: tensor<4xindex>, %o: tensor<4x6xf32>",
               "%r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, "
               "affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [\"parallel\", \"parallel\"]} ins(%ids : "
               "tensor<4xindex>) outs(%o : tensor<4x6xf32>) { ^bb0(%e: index, %p: f32): %j = linalg.index 1 : index "
               "%v = tensor.extract %w[%e, %j] : tensor<50x6xf32> linalg.yield %v : f32 } -> tensor<4x6xf32>"),
      "0 parallel 4, 1 parallel 6, 2 reduced sum 50; ([[0]], [[0], [1]], [[2], [1]]) -> ([[0], [1]])");
}

TEST_F(FactorsTest, Reshapes) {
  EXPECT_EQ(describe("%x: tensor<12x4xf32>",
                     "%r = tensor.expand_shape %x [[0, 1], [2]] output_shape [3, 4, 4] : tensor<12x4xf32> into "
                     "tensor<3x4x4xf32>"),
            "0 parallel 3, 1 parallel 4, 2 parallel 4; ([[0, 1], [2]]) -> ([[0], [1], [2]])");
  EXPECT_EQ(
      describe("%x: tensor<1x3x4xf32>",
               "%r = tensor.collapse_shape %x [[0, 1, 2]] : tensor<1x3x4xf32> into tensor<12xf32>"),
      "0 whole 1 (it is merged with other dimensions, and not the outermost of them), 1 parallel 3, 2 whole 4 (it "
      "is merged with other dimensions, and not the outermost of them); ([[0], [1], [2]]) -> ([[1, 2]])");
  EXPECT_EQ(
      describe("%x: tensor<?x?xf32> {heddle.dims = [\"batch\", \"seq\"]}",
               "%r = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>"),
      "0 parallel \"batch\", 1 whole \"seq\" (it is merged with other dimensions, and not the outermost of them); "
      "([[0], [1]]) -> ([[0, 1]])");
  EXPECT_EQ(describe("%x: tensor<?x?xf32>", "%r = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into "
                                            "tensor<?xf32>"),
            "none");
}

TEST_F(FactorsTest, GranulesThroughReshapes) {
  std::optional<Factors> split =
      find("%x: tensor<576x4xf32>", "%r = tensor.expand_shape %x [[0, 1], [2]] output_shape [9, 64, 4] : "
                                    "tensor<576x4xf32> into tensor<9x64x4xf32>");
  ASSERT_TRUE(split);
  EXPECT_EQ(operandSharding(*split, 0, sharding(R"([["x"], [], []])")), sharding(R"([["x"] by 64, []])"));
  EXPECT_EQ(operandSharding(*split, 0, sharding(R"([[], ["x"], []])")), sharding(R"([[], []])"));
  ArrayRef<unsigned> dim = split->operands[0][0];
  EXPECT_EQ(factorOf(*split, dim, granule(64)), std::pair(0u, granule(1)));
  EXPECT_EQ(factorOf(*split, dim, granule(192)), std::pair(0u, granule(3)));
  EXPECT_EQ(factorOf(*split, dim, granule(1)), std::nullopt);
  EXPECT_EQ(factorOf(*split, dim, granule(1), 4), std::nullopt);
  EXPECT_EQ(factorOf(*split, dim, granule(1), 3), std::pair(0u, granule(1)));
  std::optional<Factors> merge = find("%x: tensor<?x?xf32> {heddle.dims = [\"batch\", \"seq\"]}",
                                      "%r = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>");
  ASSERT_TRUE(merge);
  EXPECT_EQ(resultSharding(*merge, 0, sharding(R"([["x"] by 2, []])")), sharding(R"([["x"] by 2 * "seq"])"));
  EXPECT_EQ(factorOf(*merge, merge->results[0][0], granule(6, {"seq"})), std::pair(0u, granule(6)));
  EXPECT_EQ(factorOf(*merge, merge->results[0][0], granule(6)), std::nullopt);
}

TEST_F(FactorsTest, CutsAlike) {
  EXPECT_TRUE(cutsAlike(granule(4), granule(4), {}, {}));
  EXPECT_TRUE(cutsAlike(granule(1), granule(64), 576, 3));
  EXPECT_FALSE(cutsAlike(granule(1), granule(64), 576, 2));
  EXPECT_FALSE(cutsAlike(granule(1), granule(64), {}, 3));
  EXPECT_FALSE(cutsAlike(granule(1), granule(1, {"seq"}), 576, 3));
  EXPECT_TRUE(cutsAlike(granule(1), granule(1, {"seq"}), {}, 1));
}

TEST_F(FactorsTest, Slices) {
  EXPECT_EQ(describe("%x: tensor<8x1x6xf32>", "%r = tensor.extract_slice %x[0, 0, 2] [8, 1, 3] [1, 1, 1] : "
                                              "tensor<8x1x6xf32> to tensor<8x3xf32>"),
            "0 parallel 8, 1 parallel 3; ([[0], [], []]) -> ([[0], [1]])");
  EXPECT_EQ(describe("%x: tensor<8x3xf32>, %y: tensor<8x6xf32>",
                     "%r = tensor.insert_slice %x into %y[0, 2] [8, 3] [1, 1] : tensor<8x3xf32> into tensor<8x6xf32>"),
            "0 parallel 8, 1 whole 6 (tensor.insert_slice works along it); ([[0], []], [[0], []]) -> ([[0], [1]])");
  EXPECT_EQ(describe("%x: tensor<8x3xf32>", "%r = tensor.concat dim(1) %x, %x : (tensor<8x3xf32>, tensor<8x3xf32>) -> "
                                            "tensor<8x6xf32>"),
            "0 parallel 8, 1 parallel 6; ([[0], []], [[0], []]) -> ([[0], [1]])");
}

TEST_F(FactorsTest, Rows) {
  auto rows = [&](const std::string &at) {
    return describe("%x: tensor<4x5xf32>, %n: index, %c: index",
                    "%r = flow.rows %n -> (tensor<?x2xf32>{%n}) { ^bb0(%row: index, %out: tensor<?x2xf32>): %e = "
                    "tensor.extract %x[%row, %c] : tensor<4x5xf32> %w = tensor.insert %e into %out[" +
                        at + "] : tensor<?x2xf32> flow.yield %w : tensor<?x2xf32> }");
  };
  EXPECT_EQ(rows("%row, %c"), "0 parallel ?; ([], [], [[0], []]) -> ([[0], []])");
  EXPECT_EQ(rows("%c, %row"), "none");
}

// What says itself how ranks share, or computes no tensor, has none.
TEST_F(FactorsTest, NoFactors) {
  EXPECT_EQ(describe("%x: tensor<4xf32>", "%r = flow.shard %x as <@m, [[\"x\"]]> : tensor<4xf32>"), "none");
  EXPECT_EQ(describe("%x: tensor<4xf32>", "%r = flow.all_reduce %x sum over @m[\"x\"] : tensor<4xf32>"), "none");
  EXPECT_EQ(describe("%x: tensor<4xf32>, %i: index", "%r = tensor.extract %x[%i] : tensor<4xf32>"), "none");
}

} // namespace
