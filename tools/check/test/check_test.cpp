// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of heddle check on small programs; the whole of it is tested by test/seeded_bugs.
#include "tools/check/Difference.h"
#include "tools/check/Kernels.h"
#include "tools/check/ReferenceMachine.h"
#include "tools/check/Repro.h"

#include "compiler/Pipelines/Stages.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::check;
using reference::ElementType;

namespace {

Tensor floats(ArrayRef<float> values) {
  Tensor tensor = Tensor::allocate(ElementType::F32, {static_cast<int64_t>(values.size())});
  llvm::copy(values, tensor.elements<float>().begin());
  return tensor;
}

std::string difference(const Tensor &got, const Tensor &expected, double relative) {
  std::optional<Difference> found = differenceOf(got, expected, Bound{relative});
  return found ? found->text : "";
}

TEST(Difference, IsMeasuredAgainstTheLargestElement) {
  EXPECT_EQ(difference(floats({1, 1000}), floats({1.5f, 1000}), 1e-3), "");
  EXPECT_EQ(difference(floats({1, 1000}), floats({2.5f, 1000}), 1e-3), "at [0]: 1 vs 2.5 (bound 1.0e+00)");
}

TEST(Difference, SpecialValuesAgreeWithThemselvesOnly) {
  float nan = std::nanf(""), infinity = INFINITY;
  EXPECT_EQ(difference(floats({nan, infinity, -infinity}), floats({nan, infinity, -infinity}), 1e-3), "");
  EXPECT_EQ(difference(floats({nan}), floats({1}), 1e-3), "at [0]: nan vs 1 (bound 1.0e-03)");
  EXPECT_EQ(difference(floats({1}), floats({nan}), 1e-3), "at [0]: 1 vs nan (bound 0.0e+00)");
  EXPECT_EQ(difference(floats({-infinity}), floats({infinity}), 1e-3), "at [0]: -inf vs inf (bound 0.0e+00)");
}

TEST(Difference, IntegersAreExactAndShapesCount) {
  Tensor a = Tensor::allocate(ElementType::I32, {1, 2}), b = Tensor::allocate(ElementType::I32, {1, 2});
  b.elements<int32_t>()[1] = 1;
  EXPECT_EQ(difference(a, b, 1), "at [0, 1]: 0 vs 1");
  EXPECT_EQ(difference(a, Tensor::allocate(ElementType::I32, {2}), 1), "is 1x2xi32, expected 2xi32");
}

struct Programs : testing::Test {
  DialectRegistry registry;
  std::unique_ptr<MLIRContext> context;
  OwningOpRef<ModuleOp> module;

  ModuleOp parse(StringRef source) {
    module = nullptr; // before its context goes
    registerDialects(registry);
    context = std::make_unique<MLIRContext>(registry);
    module = parseSourceString<ModuleOp>(source, context.get());
    return *module;
  }

  Step step(StringRef name, std::vector<Tensor> operands, std::vector<int64_t> constants, std::vector<Tensor> results) {
    return {name.str(), NameLoc::get(StringAttr::get(context.get(), ("node " + name).str())), true, operands, constants,
            results};
  }
};

TEST_F(Programs, BoundGrowsWithTheReduction) {
  auto bound = [&](StringRef k) {
    std::string a = ("tensor<2x" + k + "xf32>").str(), b = ("tensor<" + k + "x2xf32>").str();
    parse("func.func @main(%a: " + a + ", %b: " + b + ", %c: tensor<2x2xf32>) -> tensor<2x2xf32> {\n" +
          "%0 = linalg.matmul ins(%a, %b : " + a + ", " + b + ") outs(%c : tensor<2x2xf32>) -> tensor<2x2xf32>\n" +
          "return %0 : tensor<2x2xf32> }");
    return boundOf(*module, /*largestDim=*/1000).relative;
  };
  double roundoff = std::ldexp(1.0, -24);
  EXPECT_DOUBLE_EQ(bound("64"), 4 * roundoff * (16 + 64));
  EXPECT_DOUBLE_EQ(bound("?"), 4 * roundoff * (16 + 1000));
}

TEST_F(Programs, FunctionsOfSizesAreEvaluated) {
  ModuleOp parsed = parse(R"(
    func.func @count(%m: index, %n: index) -> index {
      %c16 = arith.constant 16 : index
      %0 = arith.ceildivsi %m, %c16 : index
      %1 = arith.muli %0, %n : index
      return %1 : index
    })");
  FailureOr<int64_t> value = evaluate(parsed.lookupSymbol<func::FuncOp>("count"), {17, 3});
  ASSERT_TRUE(succeeded(value));
  EXPECT_EQ(*value, 6);
}

// A folder may look through what computes its operands: n is (n + 1) - 1.
TEST_F(Programs, FunctionsThatFoldToEarlierValuesAreEvaluated) {
  ModuleOp parsed = parse(R"(
    func.func @count(%m: index, %n: index) -> index {
      %c1 = arith.constant 1 : index
      %0 = arith.addi %n, %c1 : index
      %1 = arith.subi %0, %c1 : index
      %2 = arith.subi %1, %1 : index
      %3 = arith.addi %1, %m : index
      %4 = arith.addi %3, %2 : index
      return %4 : index
    })");
  FailureOr<int64_t> value = evaluate(parsed.lookupSymbol<func::FuncOp>("count"), {17, 3});
  ASSERT_TRUE(succeeded(value));
  EXPECT_EQ(*value, 20);
}

constexpr StringLiteral kLoop = R"(
  device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
  host.func @main(%s: !host.stream, %x: !host.buffer, %n: index)
      arguments([#host.value<"x", tensor<?xf32>, ["n"]>]) results([#host.value<"y", tensor<?xf32>, ["n"]>]) symbols(["n"]) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %bytes = arith.muli %n, %c4 : index
    %t = host.alloc on @d size %bytes
    host.copy %s, %t[%c0] from %x[%c0] size %bytes
    scf.for %i = %c0 to %c2 step %c1 {
      host.dispatch %s, @twice(%t, %t) [%n] access(["r", "w"])
    }
    %r = host.result 0 on @d size %bytes
    host.copy %s, %r[%c0] from %t[%c0] size %bytes
    host.free %s, %t
    host.return %r shape(%n)
  }
  flow.executable private @twice {
    func.func @twice(%a: tensor<?xf32>, %n: index) -> tensor<?xf32> { return %a : tensor<?xf32> }
  })";

TEST_F(Programs, HostProgramsRunAgainstRecordedValues) {
  ModuleOp parsed = parse(kLoop);
  ASSERT_TRUE(parsed);
  auto program = parsed.lookupSymbol<host::FuncOp>("main");
  std::vector<Tensor> results;
  Tensor x = floats({1, 2}), two = floats({2, 4}), four = floats({4, 8});
  std::vector<Step> steps{step("twice", {x}, {2}, {two}), step("twice", {two}, {2}, {four})};
  EXPECT_EQ(runHost(program, steps, x, results).text, "");
  EXPECT_EQ(difference(results[0], four, 0), "");

  std::vector<Step> other{steps[0], step("twice", {x}, {2}, {four})};
  HostFault fault = runHost(program, other, x, results);
  EXPECT_EQ(fault.text, "operand 0 differs at [0]: 2 vs 1 (bound 0.0e+00) at host.dispatch");
  EXPECT_EQ(fault.step, &other[1]);
  EXPECT_EQ(describe(other[1]), "@twice (node \"node twice\")");

  EXPECT_EQ(runHost(program, ArrayRef(steps).take_front(1), x, results).text,
            "dispatch @twice where none is due at host.dispatch");
  std::vector<Step> more{steps[0], steps[1], steps[0]};
  EXPECT_EQ(runHost(program, more, x, results).text, "dispatch @twice is missing");
}

// Each rank has its own operands; the sum of what ranks computed is every rank's.
constexpr char kRanks[] = R"(
  device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
  device.mesh @m = [x = 2] of @d
  host.func @main(%s: !host.stream, %x: !host.buffer)
      arguments([#host.value<"x", tensor<2xf32>, [""]>]) results([#host.value<"y", tensor<2xf32>, [""]>])
      symbols([]) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c = host.comm_stream
    %y = host.result 0 on @d size %c8
    host.dispatch %s, @twice(%x, %y) access(["r", "w"])
    %e = host.record %s
    host.wait %c, %e
    host.collective %c all_reduce sum f32 over @m["x"] (%y) -> (%y) count %c2
    %f = host.record %c
    host.wait %s, %f
    host.return %y shape(%c2)
  }
  flow.executable private @twice { func.func @twice(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> } })";

TEST_F(Programs, HostProgramsOfManyRanksRun) {
  const std::vector<std::vector<Tensor>> inputs{{floats({1, 2})}, {floats({10, 20})}};
  std::vector<std::vector<Tensor>> results;
  // Which rank's dispatch each of the two is expected to do; -1: none.
  auto run = [&](const std::string &source, std::array<int, 2> whose) {
    ModuleOp parsed = parse(source);
    const Step own[] = {step("twice", inputs[0], {}, {floats({2, 4})}),
                        step("twice", inputs[1], {}, {floats({20, 40})})};
    std::vector<std::vector<Step>> steps(2);
    for (size_t rank = 0; rank < 2; ++rank)
      if (whose[rank] >= 0)
        steps[rank].push_back(own[whose[rank]]);
    return runHostRanks(parsed.lookupSymbol<host::FuncOp>("main"), steps, inputs, results).text;
  };
  EXPECT_EQ(run(kRanks, {0, 1}), "");
  for (const std::vector<Tensor> &own : results)
    EXPECT_EQ(difference(own[0], floats({22, 44}), 0), "");

  // Another reduction, an operand that is another rank's, a dispatch that is left out on one rank.
  std::string other = kRanks;
  other.replace(other.find("sum f32"), 3, "max");
  EXPECT_EQ(run(other, {0, 1}), "");
  EXPECT_EQ(difference(results[1][0], floats({20, 40}), 0), "");
  EXPECT_EQ(run(kRanks, {0, 0}), "on rank 1: operand 0 differs at [0]: 10 vs 1 (bound 0.0e+00) at host.dispatch");
  EXPECT_EQ(run(kRanks, {0, -1}), "on rank 1: dispatch @twice where none is due at host.dispatch");
}

TEST_F(Programs, ReprosAreProgramsOfTheirOwn) {
  ModuleOp parsed = parse(kLoop);
  ASSERT_TRUE(parsed);
  Tensor x = floats({1, 2});
  std::optional<Repro> repro = reproOf(parsed, step("twice", {x}, {2}, {x}), "codegen");
  ASSERT_TRUE(repro);
  EXPECT_EQ(repro->name, "codegen-twice.mlir");
  OwningOpRef<ModuleOp> single = parseSourceString<ModuleOp>(repro->source, context.get());
  ASSERT_TRUE(single);
  auto oracle = reference::Reference::create(*single);
  ASSERT_TRUE(succeeded(oracle));
  std::vector<Tensor> results;
  EXPECT_EQ((*oracle)->run(repro->inputs, results), "");
  EXPECT_EQ(difference(results[0], repro->expected[0], 0), "");
  EXPECT_FALSE(reproOf(parsed, step("gone", {}, {}, {}), "codegen"));
}

} // namespace
