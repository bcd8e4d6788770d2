// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans of reshardings: which steps, how many bytes.
#include "compiler/Stages/Ranks/Reshard/Reshard.h"
#include "compiler/Stages/Ranks/Reshard/MeshViews.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>

using namespace mlir;
using namespace mlir::heddle;
using flow::ShardingAttr;

namespace {

class ReshardTest : public ::testing::Test {
protected:
  ReshardTest() { context.loadDialect<flow::FlowDialect, device::DeviceDialect>(); }

  void declare(const std::string &meshes) {
    module = parseSourceString<ModuleOp>(meshes, &context);
    ASSERT_TRUE(module);
  }

  // "@m, [[\"x\"], []]" with 'x' for "x".
  ShardingAttr sharding(std::string text) {
    std::replace(text.begin(), text.end(), '\'', '"');
    return llvm::cast<ShardingAttr>(parseAttribute("#flow.sharding<" + text + ">", &context));
  }

  MeshShape shapeOf(ShardingAttr sharding) {
    return MeshShape::of(module->lookupSymbol<device::MeshOp>(sharding.getMesh()));
  }

  std::optional<ReshardPlan> plan(ArrayRef<int64_t> shape, const std::string &from, const std::string &to) {
    ShardingAttr before = sharding(from), after = sharding(to);
    auto type = RankedTensorType::get(shape, Float32Type::get(&context));
    SmallVector<int64_t> estimates(shape);
    for (int64_t &size : estimates)
      size = ShapedType::isDynamic(size) ? 64 : size;
    return planReshard(before, after, type, estimates, shapeOf(before), shapeOf(after));
  }

  std::string steps(ArrayRef<int64_t> shape, const std::string &from, const std::string &to) {
    auto made = plan(shape, from, to);
    return made ? describe(*made) : "none";
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
};

TEST_F(ReshardTest, OneAxis) {
  declare("device.mesh @m = [x = 4]");
  EXPECT_EQ(steps({8, 16}, "@m, [['x'], []]", "@m, [['x'], []]"), "nothing");
  EXPECT_EQ(steps({8, 16}, "@m, [[], []]", "@m, [[], []]"), "nothing");
  EXPECT_EQ(steps({8, 16}, "@m, [['x'], []]", "@m, [[], []]"), "all_gather dim 0 over [x] (384 bytes)");
  EXPECT_EQ(steps({8, 16}, "@m, [[], []]", "@m, [[], ['x']]"), "slice");
  EXPECT_EQ(steps({8, 16}, "@m, [['x'], []]", "@m, [[], ['x']]"), "all_to_all dim 0 to dim 1 over [x] (96 bytes)");
  EXPECT_EQ(steps({8, 16}, "@m, [[], []], partial sum ['x']", "@m, [[], []]"), "all_reduce over [x] (768 bytes)");
  EXPECT_EQ(steps({8, 16}, "@m, [[], []], partial max ['x']", "@m, [[], ['x']]"),
            "reduce_scatter dim 1 over [x] (384 bytes)");
  EXPECT_EQ(steps({8, 16}, "@m, [[], []]", "@m, [[], []], partial sum ['x']"), "mask");
  EXPECT_EQ(steps({8, 16}, "@m, [['x'], []]", "@m, [[], []], partial sum ['x']"), "spread dim 0");
  EXPECT_EQ(steps({8, 16}, "@m, [[], []], partial max ['x']", "@m, [[], []], partial sum ['x']"),
            "all_reduce over [x] (768 bytes), mask");
}

TEST_F(ReshardTest, TwoAxes) {
  declare("device.mesh @m = [x = 2, y = 2]");
  // An axis swap: each rank sends its part to one other.
  EXPECT_EQ(steps({8, 16}, "@m, [['x', 'y'], []]", "@m, [['y', 'x'], []]"), "permute over [x, y] (128 bytes)");
  EXPECT_EQ(steps({8, 16}, "@m, [['x'], ['y']]", "@m, [['y'], ['x']]"), "permute over [x, y] (128 bytes)");
  EXPECT_EQ(steps({8, 16}, "@m, [['x'], []]", "@m, [['y'], []]"), "permute over [x, y] (256 bytes)");
  EXPECT_EQ(steps({8, 16}, "@m, [['x'], ['y']]", "@m, [[], []]"),
            "all_gather dim 0 over [x] (128 bytes), all_gather dim 1 over [y] (256 bytes)");
  EXPECT_EQ(steps({8, 16}, "@m, [['x', 'y'], []]", "@m, [[], []]"), "all_gather dim 0 over [x, y] (384 bytes)");
  EXPECT_EQ(steps({8, 16}, "@m, [['x', 'y'], []]", "@m, [['x'], ['y']]"),
            "all_to_all dim 0 to dim 1 over [y] (64 bytes)");
  // A partial sum is reduced where what is reduced is smallest.
  EXPECT_EQ(steps({8, 16}, "@m, [[], []], partial sum ['x']", "@m, [['y'], []]"),
            "slice, all_reduce over [x] (256 bytes)");
  EXPECT_EQ(steps({8, 16}, "@m, [[], []], partial sum ['x', 'y']", "@m, [['x', 'y'], []]"),
            "reduce_scatter dim 0 over [x, y] (384 bytes)");
}

// The lines of Inputs/reshardings.txt, or of another file.
TEST_F(ReshardTest, SendsNoMoreThanOthers) {
  const char *given = std::getenv("HEDDLE_RESHARDINGS");
  std::ifstream file(given ? given : HEDDLE_RANKS_INPUTS "/reshardings.txt");
  ASSERT_TRUE(file);
  int64_t ours = 0, theirs = 0, count = 0;
  for (std::string line; std::getline(file, line);) {
    SmallVector<StringRef> fields;
    StringRef(line).split(fields, "; ");
    if (StringRef(line).starts_with("#") || fields.size() != 5)
      continue;
    std::string meshes;
    for (StringRef rest = fields[0]; !rest.empty();) {
      auto [mesh, others] = rest.split("], ");
      meshes += "device.mesh @" + mesh.str() + (others.empty() ? "\n" : "]\n");
      rest = others;
    }
    declare(meshes);
    SmallVector<StringRef> numbers;
    fields[1].split(numbers, 'x');
    auto shape = llvm::map_to_vector(numbers, [](StringRef number) -> int64_t { return std::stoll(number.str()); });
    auto made = plan(shape, fields[2].str(), fields[3].str());
    ASSERT_TRUE(made);
    int64_t limit = std::stoll(fields[4].str()), bytes = bytesOf(*made);
    EXPECT_LE(bytes, limit) << line << "\n" << describe(*made);
    ours += bytes;
    theirs += limit;
    ++count;
  }
  EXPECT_GE(count, 20);
  std::cout << count << " reshardings: " << ours << " bytes of " << theirs << "\n";
}

} // namespace
