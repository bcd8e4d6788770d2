// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Annotations/ShardFile.h"

#include "gtest/gtest.h"

using namespace mlir::heddle;

namespace {

ShardFile parse(const char *text) {
  ShardFile file;
  std::string error;
  EXPECT_TRUE(parseShardFile(text, file, error)) << error;
  return file;
}

using Names = std::vector<std::string>;

TEST(ShardFile, Meshes) {
  ShardFile file = parse("# two\nmesh tp=2, dp = ?\n\nmesh tail: stage = 4 at 16 of @gpu");
  ASSERT_EQ(file.meshes.size(), 2u);
  EXPECT_EQ(file.meshes[0].name, "mesh");
  EXPECT_EQ(file.meshes[0].axes, Names({"tp", "dp"}));
  EXPECT_EQ(file.meshes[0].sizes, std::vector<int64_t>({2, -1}));
  EXPECT_EQ(file.meshes[0].line, 2u);
  EXPECT_EQ(file.meshes[1].name, "tail");
  EXPECT_EQ(file.meshes[1].first, 16);
  EXPECT_EQ(file.meshes[1].device, "gpu");
}

TEST(ShardFile, ByDimension) {
  ShardFile file = parse("h.*.w=1 = @m [tp by 64, -, (dp, pp), (x, ?), ?, y by 2 * seq] partial sum z\ns = []");
  ASSERT_EQ(file.rules.size(), 2u);
  const ShardRule &rule = file.rules[0];
  EXPECT_TRUE(rule.fits("h.0.w=1"));
  EXPECT_FALSE(rule.fits("h.0.w"));
  EXPECT_EQ(rule.mesh, "m");
  ASSERT_TRUE(rule.dims);
  const std::vector<ShardDim> &dims = *rule.dims;
  ASSERT_EQ(dims.size(), 6u);
  EXPECT_EQ(dims[0].axes, Names({"tp"}));
  EXPECT_EQ(dims[0].granule.factor, 64);
  EXPECT_TRUE(dims[1].axes.empty());
  EXPECT_FALSE(dims[1].isOpen);
  EXPECT_EQ(dims[2].axes, Names({"dp", "pp"}));
  EXPECT_EQ(dims[3].axes, Names({"x"}));
  EXPECT_TRUE(dims[3].isOpen);
  EXPECT_TRUE(dims[4].axes.empty());
  EXPECT_TRUE(dims[4].isOpen);
  EXPECT_EQ(dims[5].granule.factor, 2);
  EXPECT_EQ(dims[5].granule.names, Names({"seq"}));
  ASSERT_EQ(rule.axes.size(), 1u);
  EXPECT_EQ(rule.axes[0].axis, "z");
  EXPECT_EQ(rule.axes[0].reduction, "sum");
  ASSERT_TRUE(file.rules[1].dims);
  EXPECT_TRUE(file.rules[1].dims->empty());
}

TEST(ShardFile, ByAxis) {
  ShardFile file = parse("a = {tp: -1 by 8, dp: -, pp: partial max}\n b* = {}");
  const ShardRule &rule = file.rules[0];
  EXPECT_FALSE(rule.dims);
  ASSERT_EQ(rule.axes.size(), 3u);
  EXPECT_EQ(rule.axes[0].dim, -1);
  EXPECT_EQ(rule.axes[0].granule.factor, 8);
  EXPECT_FALSE(rule.axes[1].dim);
  EXPECT_EQ(rule.axes[1].reduction, "");
  EXPECT_EQ(rule.axes[2].reduction, "max");
  EXPECT_TRUE(file.rules[1].axes.empty());
  EXPECT_EQ(file.rules[1].line, 2u);
}

std::string errorOf(const char *text) {
  ShardFile file;
  std::string error;
  return parseShardFile(text, file, error) ? "none" : error;
}

TEST(ShardFile, ErrorsNameTheLine) {
  EXPECT_EQ(errorOf("a = [x]\nw"), "2: expected 'pattern = sharding', such as '*.weight = [tp, -]', or 'mesh AXIS = "
                                   "SIZE', got 'w'");
  EXPECT_EQ(errorOf("= [x]"), "1: expected 'pattern = sharding', such as '*.weight = [tp, -]', or 'mesh AXIS = SIZE', "
                              "got '= [x]'");
  EXPECT_EQ(errorOf("a = x"), "1: expected '[' or '{' to begin a sharding, such as '[tp, -]' or '{tp: 0}', got 'x'");
  EXPECT_EQ(errorOf("a = [x"), "1: expected ']' behind the last dimension, got the line's end");
  EXPECT_EQ(errorOf("a = [x y]"), "1: expected ']' behind the last dimension, got 'y]'");
  EXPECT_EQ(errorOf("a = [0]"), "1: expected an axis, '(AXIS, …)', '-' or '?' for each dimension, got '0]'");
  EXPECT_EQ(errorOf("a = [(x, 0)]"), "1: expected the name of an axis, or '?' as the last, got '0)]'");
  EXPECT_EQ(errorOf("a = [(?, x)]"), "1: expected ')' after the axes of a dimension, got ', x)]'");
  EXPECT_EQ(errorOf("a = [x by 0]"), "1: expected a number of positions from 1 after 'by', got ']'");
  EXPECT_EQ(errorOf("a = [x by]"), "1: expected a number of positions, or a dimension's name, behind 'by', got ']'");
  EXPECT_EQ(errorOf("a = [x] partial"), "1: expected how parts combine behind 'partial', such as 'sum', got the "
                                        "line's end");
  EXPECT_EQ(errorOf("a = [x] b"), "1: expected 'partial REDUCTION AXIS' or nothing after ']', got 'b'");
  EXPECT_EQ(errorOf("a = {x}"), "1: expected ':' behind the name of an axis, got '}'");
  EXPECT_EQ(errorOf("a = {x: y}"), "1: expected a dimension's number, 'partial sum' or '-' behind 'x:', got 'y}'");
  EXPECT_EQ(errorOf("a = {x: 0} b"), "1: expected nothing after '}', got 'b'");
  EXPECT_EQ(errorOf("a = @ [x]"), "1: expected the name of a mesh behind '@', got '[x]'");
}

TEST(ShardFile, ErrorsOfMeshes) {
  EXPECT_EQ(errorOf("mesh tp"), "1: expected '=' behind the name of an axis, got the line's end");
  EXPECT_EQ(errorOf("mesh tp = 0"), "1: expected a size from 1, or '?', for the axis 'tp', got the line's end");
  EXPECT_EQ(errorOf("mesh tp = 2,"), "1: expected the name of an axis behind ',', got the line's end");
  EXPECT_EQ(errorOf("mesh tp = 2 at -1"), "1: expected the number of the mesh's first rank after 'at', got the "
                                          "line's end");
  EXPECT_EQ(errorOf("mesh tp = 2 x"), "1: expected ',', 'at RANK', 'of DEVICE' or nothing after the axes, got 'x'");
  EXPECT_EQ(errorOf("mesh tp = 2\nmesh dp = 2"),
            "2: a mesh 'mesh' is declared in line 1; give one a name: 'mesh NAME: AXIS = SIZE'");
}

} // namespace
