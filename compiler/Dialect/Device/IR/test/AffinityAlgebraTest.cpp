// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The truth tables of AffinityAlgebra.h: one row a line, read against the header.
#include "compiler/Dialect/Device/IR/AffinityAlgebra.h"

#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::heddle::device;

namespace {

class AlgebraTest : public testing::Test {
protected:
  AlgebraTest() {
    context.loadDialect<DeviceDialect>();
    module = parseSourceString<ModuleOp>(R"(module attributes {device.topology = #device.topology<[
          #device.link<@a -> @b, {unified, bandwidth_gbps = 10}>, #device.link<@b -> @c, {transparent, latency_us = 2.5}>]>} {
        device.global @a = #device.target<"cuda", {ordinal = 0}, [<"ptx">, <"spirv">]>
        device.global @b = #device.target<"cuda", {ordinal = 1}, [<"spirv">, <"ptx">]>
        device.global @c = #device.target<"vulkan", [<"spirv">]>
        device.global @d = #device.select<[#device.target<"vulkan", [<"spirv">]>, #device.fallback<@a>]>
      })",
                                         &context);
  }

  // "a" → #device.affinity<@a>, "a01" → with queues 0 and 1, "a|b" → #device.optimal, "" → null.
  Attribute get(StringRef text) {
    if (text.empty())
      return {};
    SmallVector<Attribute> affinities;
    for (StringRef part : llvm::split(text, '|')) {
      SmallVector<int64_t> queues;
      for (char digit : part.drop_front())
        queues.push_back(digit - '0');
      affinities.push_back(AffinityAttr::get(&context, FlatSymbolRefAttr::get(&context, part.take_front()), queues));
    }
    return affinities.size() == 1 ? affinities.front() : Attribute(OptimalAttr::get(&context, affinities));
  }
  AffinityAttr one(StringRef text) { return cast<AffinityAttr>(get(text)); }
  static std::string spell(Attribute attribute) {
    std::string text;
    SmallVector<Attribute> affinities;
    if (auto optimal = dyn_cast_or_null<OptimalAttr>(attribute))
      llvm::append_range(affinities, optimal.getAffinities());
    else if (attribute)
      affinities.push_back(attribute);
    for (Attribute affinity : affinities) {
      text += (text.empty() ? "" : "|") + cast<AffinityAttr>(affinity).getDevice().getValue().str();
      for (int64_t queue : cast<AffinityAttr>(affinity).getQueues())
        text += std::to_string(queue);
    }
    return text;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

struct Pair {
  const char *a, *b;
  bool forth, back; // f(a, b), f(b, a)
};

TEST_F(AlgebraTest, Execution) {
  const Pair table[] = {
      {"a", "a", true, true},       {"a", "b", false, false},   {"a", "a0", true, false},
      {"a0", "a0", true, true},     {"a0", "a1", false, false}, {"a01", "a1", true, false},
      {"a01", "a12", false, false}, {"a0", "b0", false, false}, {"a", "a012", true, false},
  };
  for (const Pair &row : table) {
    EXPECT_EQ(areExecutionCompatible(one(row.a), one(row.b)), row.forth) << row.a << " " << row.b;
    EXPECT_EQ(areExecutionCompatible(one(row.b), one(row.a)), row.back) << row.b << " " << row.a;
  }
}

TEST_F(AlgebraTest, Translation) {
  DeviceQuery query(*module);
  const Pair table[] = {
      {"a", "a", true, true},   {"a", "b", true, true}, {"a", "c", false, false}, {"a", "d", true, true},
      {"c", "d", false, false}, {"c", "c", true, true}, {"a0", "b1", true, true}, {"a", "x", false, false},
      {"x", "x", false, false}, {"b", "d", true, true},
  };
  for (const Pair &row : table) {
    EXPECT_EQ(areTranslationCompatible(one(row.a), one(row.b), query), row.forth) << row.a << " " << row.b;
    EXPECT_EQ(areTranslationCompatible(one(row.b), one(row.a), query), row.back) << row.b << " " << row.a;
  }
}

TEST_F(AlgebraTest, Allocation) {
  Topology topology(*module), none{TopologyAttr()};
  const Pair table[] = {
      {"a", "a", true, true},   {"a", "b", true, false},  {"b", "c", false, false},
      {"a", "c", false, false}, {"a0", "a1", true, true},
  };
  for (const Pair &row : table) {
    EXPECT_EQ(areAllocationCompatible(one(row.a), one(row.b), topology), row.forth) << row.a << " " << row.b;
    EXPECT_EQ(areAllocationCompatible(one(row.b), one(row.a), topology), row.back) << row.b << " " << row.a;
    EXPECT_EQ(areAllocationCompatible(one(row.a), one(row.b), none), row.a[0] == row.b[0]);
  }
}

TEST_F(AlgebraTest, Links) {
  Topology topology(*module);
  auto name = [&](StringRef text) { return StringAttr::get(&context, text); };
  EXPECT_EQ(topology.lookup(name("a"), name("b")).getBandwidth(), 10e9);
  EXPECT_EQ(topology.lookup(name("a"), name("b")).getLatency(), std::nullopt);
  EXPECT_DOUBLE_EQ(*topology.lookup(name("b"), name("c")).getLatency(), 2.5e-6);
  EXPECT_TRUE(topology.isTransparent(name("b"), name("c")));
  EXPECT_FALSE(topology.isTransparent(name("c"), name("b")));
  EXPECT_FALSE(topology.lookup(name("b"), name("a")));
}

struct Join {
  const char *a, *b, *either, *both;
};

TEST_F(AlgebraTest, Joins) {
  const Join table[] = {
      {"", "", "", ""},
      {"a", "", "a", ""},
      {"a", "a", "a", "a"},
      {"a", "b", "a|b", ""},
      {"a0", "a1", "a01", ""},
      {"a01", "a12", "a012", "a1"},
      {"a", "a1", "a", "a1"},
      {"a|b", "a", "a|b", "a"},
      {"a|b", "c", "a|b|c", ""},
      {"a0|b", "a1|c", "a01|b|c", ""},
      {"a01|b", "a1|b2", "a01|b", "a1|b2"},
      {"a|b|c", "b|c|d", "a|b|c|d", "b|c"},
      {"b|a", "a|b", "a|b", "a|b"},
  };
  for (const Join &row : table) {
    EXPECT_EQ(spell(joinOr(get(row.a), get(row.b))), row.either) << row.a << " or " << row.b;
    EXPECT_EQ(spell(joinOr(get(row.b), get(row.a))), row.either) << row.b << " or " << row.a;
    EXPECT_EQ(spell(joinAnd(get(row.a), get(row.b))), row.both) << row.a << " and " << row.b;
    EXPECT_EQ(spell(joinAnd(get(row.b), get(row.a))), row.both) << row.b << " and " << row.a;
  }
}

TEST_F(AlgebraTest, JoinsAreAssociative) {
  const char *all[] = {"", "a", "a0", "a01", "a12", "b", "b1", "a|b", "a0|c", "b1|c2", "a|b|c"};
  for (const char *a : all)
    for (const char *b : all)
      for (const char *c : all) {
        EXPECT_EQ(joinOr(joinOr(get(a), get(b)), get(c)), joinOr(get(a), joinOr(get(b), get(c)))) << a << b << c;
        EXPECT_EQ(joinAnd(joinAnd(get(a), get(b)), get(c)), joinAnd(get(a), joinAnd(get(b), get(c)))) << a << b << c;
      }
}

} // namespace
