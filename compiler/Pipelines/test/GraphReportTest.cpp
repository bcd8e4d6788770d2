// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Pipelines/GraphReport.h"
#include "compiler/Pipelines/Stages.h"
#include "compiler/Pipelines/StringTable.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::heddle;
using llvm::json::Array;
using llvm::json::Object;

namespace {

constexpr const char *kHead = R"(
device.global @a = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>]>
device.global @b = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}>]>
flow.parameter private @w : tensor<4xf32> = dense<1.0>
flow.executable private @e {
  func.func @e(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}
flow.executable private @f {
  func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}
)";

class GraphReport : public testing::Test {
protected:
  GraphReport() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }
  // Strings become texts again.
  Object report(const std::string &body) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(kHead + body, &context);
    if (!module) {
      ADD_FAILURE() << "the module does not parse";
      std::exit(1);
    }
    strings.clear();
    Object out = reportGraph(*module);
    const Array &table = *out.getArray("strings");
    for (size_t i = 0; i + 1 < table.size(); i += 2) {
      std::string last = strings.empty() ? "" : strings.back();
      strings.push_back(last.substr(0, *table[i].getAsInteger()) + table[i + 1].getAsString()->str());
    }
    return out;
  }
  const Object &node(const Object &report, unsigned index) {
    return *(*report.getArray("functions")->front().getAsObject()->getArray("nodes"))[index].getAsObject();
  }
  std::string text(const Object &node, StringRef key) {
    return node.getInteger(key) ? strings[*node.getInteger(key)] : "";
  }
  std::vector<int64_t> inputs(const Object &node) {
    std::vector<int64_t> out;
    if (const Array *list = node.getArray("i"))
      for (const llvm::json::Value &value : *list)
        out.push_back(*value.getAsInteger());
    return out;
  }
  MLIRContext context;
  std::vector<std::string> strings;
};

TEST_F(GraphReport, DispatchesTransfersAndWhy) {
  Object graph = report(R"(
func.func @main(%x: tensor<4xf32> {heddle.name = "in"}) -> (tensor<4xf32> {heddle.affinity = #device.affinity<@b>, heddle.name = "out"}) {
  %w = flow.parameter.load @w : tensor<4xf32>
  %0 = flow.dispatch @e(%x) {heddle.affinity = #device.affinity<@a>, heddle.placed_by = "explicit"} : (tensor<4xf32>) -> (tensor<4xf32>) loc(fused["/Add_1", "/Relu"])
  %1 = flow.transfer %0 : tensor<4xf32> to #device.affinity<@b>
  %v = tensor.expand_shape %1 [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  %c = tensor.collapse_shape %v [[0, 1]] : tensor<2x2xf32> into tensor<4xf32>
  %2 = flow.dispatch @f(%c, %w) {heddle.affinity = #device.affinity<@b>} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  return %2 : tensor<4xf32>
})");
  ASSERT_EQ(graph.getArray("devices")->size(), 2u);
  const Object &argument = node(graph, 0), &first = node(graph, 1), &transfer = node(graph, 2),
               &second = node(graph, 3), &result = node(graph, 4);
  EXPECT_EQ(argument.getString("k"), "a");
  EXPECT_EQ(text(argument, "n"), "in");
  EXPECT_EQ(text(first, "n"), "e");
  EXPECT_EQ(text(first, "w"), "explicit");
  EXPECT_EQ(inputs(first), std::vector<int64_t>{0});
  ASSERT_EQ(first.getArray("o")->size(), 2u);
  EXPECT_EQ(strings[*(*first.getArray("o"))[0].getAsInteger()], "/Add_1");
  EXPECT_EQ(transfer.getString("k"), "t");
  EXPECT_EQ(transfer.getInteger("f"), 0);
  EXPECT_EQ(transfer.getInteger("d"), 1);
  EXPECT_EQ(transfer.getInteger("b"), 16);
  EXPECT_GT(*transfer.getInteger("c"), 0);
  EXPECT_EQ(inputs(second), std::vector<int64_t>{2}); // through the views
  EXPECT_EQ(strings[*(*second.getArray("p"))[0].getAsInteger()], "w");
  EXPECT_EQ(result.getString("k"), "r");
  EXPECT_EQ(result.getInteger("d"), 1);
  EXPECT_EQ(inputs(result), std::vector<int64_t>{3});
  EXPECT_EQ(strings[*(*result.getArray("t"))[0].getAsInteger()], "4xf32");
}

// Bytes and time count a size that only the call knows alike.
TEST_F(GraphReport, UnknownSizes) {
  Object graph = report(R"(
func.func @main(%x: tensor<?x1024xf32>, %n: index) -> tensor<?x1024xf32> {
  %0 = flow.transfer %x{%n} : tensor<?x1024xf32> to #device.affinity<@b>
  return %0 : tensor<?x1024xf32>
})");
  EXPECT_EQ(graph.getInteger("unknown"), 64);
  EXPECT_EQ(node(graph, 1).getInteger("b"), 64 * 1024 * 4);
}

TEST_F(GraphReport, ThroughLoopsAndBranches) {
  Object graph = report(R"(
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %n: index, %p: i1) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> tensor<4xf32> {
    %0 = flow.dispatch @e(%t) {heddle.affinity = #device.affinity<@a>} : (tensor<4xf32>) -> (tensor<4xf32>)
    scf.yield %0 : tensor<4xf32>
  }
  %b = scf.if %p -> tensor<4xf32> {
    scf.yield %l : tensor<4xf32>
  } else {
    scf.yield %y : tensor<4xf32>
  }
  return %b : tensor<4xf32>
})");
  EXPECT_EQ(inputs(node(graph, 2)), std::vector<int64_t>{0});
  EXPECT_EQ(inputs(node(graph, 3)), (std::vector<int64_t>{2, 1}));
}

TEST_F(GraphReport, EqualModulesGiveEqualBytes) {
  const char *body = R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = flow.dispatch @e(%x) {heddle.affinity = #device.affinity<@a>} : (tensor<4xf32>) -> (tensor<4xf32>)
  return %0 : tensor<4xf32>
})";
  auto text = [&] { return llvm::formatv("{0}", llvm::json::Value(report(body))).str(); };
  EXPECT_EQ(text(), text());
}

TEST(StringTable, FrontCoded) {
  StringTable table;
  int64_t match = table.add("layer/1/MatMul"), add = table.add("layer/1/Add");
  EXPECT_EQ(table.add("layer/1/MatMul"), match);
  int64_t umlaut = table.add("\xC3\xA4"), other = table.add("\xC3\xB6"); // a first byte in common, no character
  Array out = table.finish();
  EXPECT_EQ(llvm::formatv("{0}", llvm::json::Value(std::move(out))).str(),
            "[0,\"layer/1/Add\",8,\"MatMul\",0,\"\xC3\xA4\",0,\"\xC3\xB6\"]");
  EXPECT_EQ(table.position(match), 1);
  EXPECT_EQ(table.position(add), 0);
  EXPECT_EQ(table.position(umlaut), 2);
  EXPECT_EQ(table.position(other), 3);
}

} // namespace
