// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Reference/Reference.h"
#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::reference;

namespace {

struct ReferenceTest : testing::Test {
  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
  std::string diagnostics;
  ScopedDiagnosticHandler handler{&context, [&](Diagnostic &diagnostic) {
                                    diagnostics += diagnostic.str();
                                    return success();
                                  }};

  ReferenceTest() {
    context.loadDialect<HeddleDialect, device::DeviceDialect, flow::FlowDialect, func::FuncDialect,
                        linalg::LinalgDialect, arith::ArithDialect, math::MathDialect, scf::SCFDialect>();
  }

  std::unique_ptr<Reference> make(StringRef source, ReferenceOptions options = {}) {
    module = parseSourceString<ModuleOp>(source, &context);
    if (!module) {
      ADD_FAILURE() << diagnostics;
      return nullptr;
    }
    FailureOr<std::unique_ptr<Reference>> made = Reference::create(*module, options);
    return succeeded(made) ? std::move(*made) : nullptr;
  }
};

Tensor floats(ArrayRef<int64_t> shape, ArrayRef<float> values) {
  Tensor tensor = Tensor::allocate(ElementType::F32, shape);
  llvm::copy(values, tensor.elements<float>().begin());
  return tensor;
}

std::vector<float> values(const Tensor &tensor) {
  auto elements = tensor.elements<float>();
  return {elements.begin(), elements.end()};
}

constexpr StringLiteral kMatmul = R"(
  flow.parameter private @w : tensor<3x2xf32> = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]>
  func.func @main(%x: tensor<?x3xf32> {heddle.name = "x", heddle.dims = ["m", ""]}) -> (tensor<?x2xf32> {heddle.name = "y"}) {
    %m = flow.dimension "m"
    %w = flow.parameter.load @w : tensor<3x2xf32>
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty(%m) : tensor<?x2xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x2xf32>) -> tensor<?x2xf32>
    %r = flow.region -> (tensor<?x2xf32>{%m}) {
      %0 = linalg.matmul ins(%x, %w : tensor<?x3xf32>, tensor<3x2xf32>) outs(%f : tensor<?x2xf32>) -> tensor<?x2xf32>
      flow.return %0 : tensor<?x2xf32>
    }
    return %r : tensor<?x2xf32>
  })";

TEST_F(ReferenceTest, RunsRegionsWithParametersAndNamedDimensions) {
  auto oracle = make(kMatmul);
  ASSERT_TRUE(oracle) << diagnostics;
  EXPECT_EQ(oracle->signature().arguments[0].name, "x");
  EXPECT_EQ(oracle->signature().results[0].name, "y");
  std::vector<Tensor> results;
  const std::vector<float> given{1, 1, 1, 1, 0, -1}, all{9, 12, -4, -4};
  for (int64_t m : {0, 1, 2}) {
    Tensor x = floats({m, 3}, ArrayRef<float>(given).take_front(m * 3));
    ASSERT_EQ(oracle->run(x, results), "");
    EXPECT_EQ(results[0].shape, (SmallVector<int64_t>{m, 2}));
    ArrayRef<float> expected = ArrayRef<float>(all).take_front(m * 2);
    EXPECT_EQ(values(results[0]), std::vector<float>(expected));
  }
}

constexpr StringLiteral kDispatches = R"(
  device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
  flow.executable private @double {
    func.func @double(%a: tensor<?xf32>, %n: index) -> tensor<?xf32> {
      %e = tensor.empty(%n) : tensor<?xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) {
        ^bb0(%x: f32, %o: f32):
          %s = arith.addf %x, %x : f32
          linalg.yield %s : f32
      } -> tensor<?xf32>
      return %r : tensor<?xf32>
    }
  }
  func.func @main(%x: tensor<?xf32> {heddle.dims = ["n"]}) -> tensor<?xf32> {
    %n = flow.dimension "n"
    %0 = flow.dispatch @double(%x)[%n] : (tensor<?xf32>{%n}) -> (tensor<?xf32>{%n}) loc("first")
    %1 = flow.transfer %0{%n} : tensor<?xf32> to #device.affinity<@d>
    %2 = flow.dispatch @double(%1)[%n] : (tensor<?xf32>{%n}) -> (tensor<?xf32>{%n}) loc("second")
    return %2 : tensor<?xf32>
  })";

TEST_F(ReferenceTest, RecordsEachDispatch) {
  ReferenceOptions options;
  options.trace = true;
  auto oracle = make(kDispatches, options);
  ASSERT_TRUE(oracle) << diagnostics;
  std::vector<Tensor> results;
  std::vector<Step> steps;
  ASSERT_EQ(oracle->run(floats({3}, {1, 2, 3}), results, [&](const Step &step) { steps.push_back(step); }), "");
  EXPECT_EQ(values(results[0]), std::vector<float>({4, 8, 12}));
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].op, "double");
  EXPECT_TRUE(steps[0].isDispatch);
  EXPECT_EQ(values(steps[0].operands[0]), std::vector<float>({1, 2, 3}));
  EXPECT_EQ(values(steps[0].results[0]), std::vector<float>({2, 4, 6}));
  EXPECT_EQ(steps[1].constants, std::vector<int64_t>({3}));
  EXPECT_EQ(values(steps[1].operands[0]), std::vector<float>({2, 4, 6}));
  EXPECT_EQ(cast<NameLoc>(steps[1].location).getName(), "second");
}

TEST_F(ReferenceTest, RecordsOpsBeforeForm) {
  ReferenceOptions options;
  options.trace = true;
  auto oracle = make(kMatmul, options);
  ASSERT_TRUE(oracle) << diagnostics;
  std::vector<Tensor> results;
  std::vector<std::string> ops;
  ASSERT_EQ(oracle->run(floats({1, 3}, {1, 2, 3}), results, [&](const Step &step) { ops.push_back(step.op); }), "");
  EXPECT_EQ(ops, std::vector<std::string>({"linalg.matmul"}));
}

TEST_F(ReferenceTest, OneValueOnAnotherIsNotOverwritten) {
  auto oracle = make(R"(
    func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
      %c0 = arith.constant 0 : index
      %v = arith.constant 7.0 : f32
      %y = tensor.insert %v into %x[%c0] : tensor<2xf32>
      return %x, %y : tensor<2xf32>, tensor<2xf32>
    })");
  ASSERT_TRUE(oracle) << diagnostics;
  std::vector<Tensor> results;
  Tensor x = floats({2}, {1, 2});
  ASSERT_EQ(oracle->run(x, results), "");
  EXPECT_EQ(values(x), std::vector<float>({1, 2}));
  EXPECT_EQ(values(results[0]), std::vector<float>({1, 2}));
  EXPECT_EQ(values(results[1]), std::vector<float>({7, 2}));
}

constexpr StringLiteral kGather = R"(
  func.func @main(%x: tensor<4xf32>, %i: tensor<2xi64>) -> tensor<2xf32> {
    %c4 = arith.constant 4 : index
    %e = tensor.empty() : tensor<2xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%i : tensor<2xi64>) outs(%e : tensor<2xf32>) {
      ^bb0(%k: i64, %o: f32):
        %j = arith.index_cast %k : i64 to index
        %safe = flow.checked_index %j, %c4
        %v = tensor.extract %x[%safe] : tensor<4xf32>
        linalg.yield %v : f32
    } -> tensor<2xf32>
    return %r : tensor<2xf32>
  })";

TEST_F(ReferenceTest, ReportsAnIndexOutOfRange) {
  auto oracle = make(kGather);
  ASSERT_TRUE(oracle) << diagnostics;
  std::vector<Tensor> results;
  Tensor indices = Tensor::allocate(ElementType::I64, {2});
  indices.elements<int64_t>()[1] = 3;
  EXPECT_EQ(oracle->run({floats({4}, {5, 6, 7, 8}), indices}, results), "");
  EXPECT_EQ(values(results[0]), std::vector<float>({5, 8}));
  for (int64_t bad : {4, -1}) {
    indices.elements<int64_t>()[1] = bad;
    std::string error = oracle->run({floats({4}, {5, 6, 7, 8}), indices}, results);
    EXPECT_TRUE(StringRef(error).starts_with("index out of range at ")) << error;
  }
}

TEST_F(ReferenceTest, ReportsAFailedCheck) {
  auto oracle = make(R"(
    func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
      %c0 = arith.constant 0 : index
      %m = tensor.dim %x, %c0 : tensor<?xf32>
      %n = tensor.dim %y, %c0 : tensor<?xf32>
      %same = arith.cmpi eq, %m, %n : index
      flow.check %same, "shapes differ"
      %r = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
      return %r : tensor<?xf32>
    })");
  ASSERT_TRUE(oracle) << diagnostics;
  std::vector<Tensor> results;
  EXPECT_EQ(oracle->run({floats({2}, {1, 2}), floats({2}, {1, 2})}, results), "");
  EXPECT_EQ(values(results[0]), std::vector<float>({2, 4}));
  EXPECT_EQ(oracle->run({floats({2}, {1, 2}), floats({3}, {1, 2, 3})}, results), "shapes differ");
}

TEST_F(ReferenceTest, EmptyPiecesAtTheEnd) {
  auto oracle = make(R"(
    func.func @main(%x: tensor<2x3xf32>) -> tensor<3x3xf32> {
      %c = arith.constant 9.0 : f32
      %e = tensor.empty() : tensor<0x3xf32>
      %p = tensor.pad %e low[1, 0] high[0, 0] {
      ^bb0(%a: index, %b: index):
        tensor.yield %c : f32
      } : tensor<0x3xf32> to tensor<1x3xf32>
      %y = tensor.concat dim(0) %x, %p, %e : (tensor<2x3xf32>, tensor<1x3xf32>, tensor<0x3xf32>) -> tensor<3x3xf32>
      return %y : tensor<3x3xf32>
    })");
  ASSERT_TRUE(oracle) << diagnostics;
  std::vector<Tensor> results;
  ASSERT_EQ(oracle->run(floats({2, 3}, {1, 2, 3, 4, 5, 6}), results), "");
  EXPECT_EQ(values(results[0]), std::vector<float>({1, 2, 3, 4, 5, 6, 9, 9, 9}));
}

TEST_F(ReferenceTest, SoftmaxConcatAndLoop) {
  auto oracle = make(R"(
    func.func @main(%x: tensor<1x2xf32>) -> tensor<2x2xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %e = tensor.empty() : tensor<1x2xf32>
      %s = linalg.softmax dimension(1) ins(%x : tensor<1x2xf32>) outs(%e : tensor<1x2xf32>) -> tensor<1x2xf32>
      %l = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> tensor<1x2xf32> {
        %n = linalg.add ins(%a, %x : tensor<1x2xf32>, tensor<1x2xf32>) outs(%e : tensor<1x2xf32>) -> tensor<1x2xf32>
        scf.yield %n : tensor<1x2xf32>
      }
      %r = tensor.concat dim(0) %s, %l : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
      return %r : tensor<2x2xf32>
    })");
  ASSERT_TRUE(oracle) << diagnostics;
  std::vector<Tensor> results;
  ASSERT_EQ(oracle->run(floats({1, 2}, {0, std::log(3.0f)}), results), "");
  EXPECT_NEAR(values(results[0])[0], 0.25f, 1e-6f);
  EXPECT_NEAR(values(results[0])[1], 0.75f, 1e-6f);
  EXPECT_EQ(values(results[0])[2], 0.0f);
  EXPECT_NEAR(values(results[0])[3], 4 * std::log(3.0f), 1e-6f);
}

TEST_F(ReferenceTest, MathInBodiesCallsTheLibrary) {
  auto oracle = make(R"(
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %e = tensor.empty() : tensor<2xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          ins(%x : tensor<2xf32>) outs(%e : tensor<2xf32>) {
        ^bb0(%v: f32, %o: f32):
          %a = math.erf %v : f32
          %b = math.exp %a : f32
          %c = math.rsqrt %b : f32
          linalg.yield %c : f32
      } -> tensor<2xf32>
      return %r : tensor<2xf32>
    })");
  ASSERT_TRUE(oracle) << diagnostics;
  std::vector<Tensor> results;
  ASSERT_EQ(oracle->run(floats({2}, {0.5f, -1}), results), "");
  for (auto [x, y] : llvm::zip(std::vector<float>{0.5f, -1}, values(results[0])))
    EXPECT_NEAR(y, 1 / std::sqrt(std::exp(std::erf(x))), 1e-6f);
}

TEST_F(ReferenceTest, MathOfBits) {
  auto oracle = make(R"(
    func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
      %e = tensor.empty() : tensor<3xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          ins(%x : tensor<3xf32>) outs(%e : tensor<3xf32>) {
        ^bb0(%v: f32, %o: f32):
          %sine, %cosine = math.sincos %v : f32
          %signed = math.copysign %cosine, %sine : f32
          %bits = arith.bitcast %v : f32 to i32
          %ones = math.ctpop %bits : i32
          %zeros = math.ctlz %bits : i32
          %last = math.cttz %bits : i32
          %sum = arith.addi %ones, %zeros : i32
          %less = arith.subi %sum, %last : i32
          %magnitude = math.absi %less : i32
          %cube = math.fpowi %signed, %magnitude : f32, i32
          %finite = math.isfinite %v : f32
          %nan = math.isnan %v : f32
          %flag = arith.ori %finite, %nan : i1
          %y = arith.select %flag, %cube, %v : f32
          linalg.yield %y : f32
      } -> tensor<3xf32>
      return %r : tensor<3xf32>
    })");
  ASSERT_TRUE(oracle) << diagnostics;
  std::vector<Tensor> results;
  // -2 is 0xc0000000, 1.5 0x3fc00000: |ones + leading zeros - trailing zeros| is 28 and 12.
  ASSERT_EQ(oracle->run(floats({3}, {-2, 1.5f, INFINITY}), results), "");
  std::vector<float> got = values(results[0]);
  EXPECT_NEAR(got[0], std::pow(std::cos(2.0f), 28), 1e-6f);
  EXPECT_NEAR(got[1], std::pow(std::cos(1.5f), 12), 1e-6f);
  EXPECT_EQ(got[2], INFINITY);
}

TEST_F(ReferenceTest, InputsMustFit) {
  auto oracle = make(R"(
    func.func @main(%x: tensor<?x3xf32> {heddle.name = "x", heddle.dims = ["m", ""]},
                    %y: tensor<?xf32> {heddle.name = "y", heddle.dims = ["m"]}) -> tensor<?xf32> {
      return %y : tensor<?xf32>
    })");
  ASSERT_TRUE(oracle) << diagnostics;
  std::vector<Tensor> results;
  Tensor x = floats({1, 3}, {1, 2, 3});
  EXPECT_EQ(oracle->run({x}, results), "the entry point takes 2 arguments, got 1");
  EXPECT_EQ(oracle->run({x, x}, results), "argument 'y' is tensor<?xf32>, got 1x3xf32");
  EXPECT_EQ(oracle->run({floats({1, 2}, {1, 2}), floats({1}, {1})}, results),
            "dimension 1 of argument 'x' is 3, got 2");
  EXPECT_EQ(oracle->run({x, floats({2}, {1, 2})}, results), "dimension \"m\" is 1, got 2 in argument 'y'");
}

TEST_F(ReferenceTest, LimitsMemory) {
  ReferenceOptions options;
  options.memoryLimit = 1000;
  auto oracle = make(kMatmul, options);
  ASSERT_TRUE(oracle) << diagnostics;
  std::vector<Tensor> results;
  Tensor x = Tensor::allocate(ElementType::F32, {1000, 3});
  EXPECT_TRUE(StringRef(oracle->run(x, results)).starts_with("out of memory: an intermediate value needs "));
  EXPECT_EQ(oracle->run(floats({1, 3}, {1, 2, 3}), results), ""); // usable after a failure
}

TEST_F(ReferenceTest, NeedsAnEntryPoint) {
  EXPECT_FALSE(make("func.func private @f()"));
  EXPECT_EQ(diagnostics,
            "the reference needs an entry point: a function @main or a single public one, got 0 public functions");
}

} // namespace
