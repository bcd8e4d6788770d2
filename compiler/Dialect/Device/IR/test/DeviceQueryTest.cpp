// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Device/IR/DeviceQuery.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::heddle::device;

namespace {

class DeviceQueryTest : public testing::Test {
protected:
  DeviceQueryTest() { context.loadDialect<DeviceDialect>(); }

  DeviceQuery query(const std::string &globals) {
    module = parseSourceString<ModuleOp>(globals, &context);
    EXPECT_TRUE(module);
    return DeviceQuery(*module);
  }
  StringAttr name(StringRef text) { return StringAttr::get(&context, text); }
  // "a b": the formats of the targets.
  static std::string formats(ArrayRef<ExecutableAttr> targets) {
    std::string text;
    for (ExecutableAttr target : targets)
      text += (text.empty() ? "" : " ") + target.getFormat().str();
    return text;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(DeviceQueryTest, TargetsFollowFallbacksEachOnceInOrder) {
  DeviceQuery devices = query(R"(
    device.global @cpu = #device.target<"local", [<"v3">, <"v4">]>
    device.global @gpu = #device.select<[#device.target<"cuda", [<"ptx">]>, #device.target<"vulkan", [<"spirv">]>, #device.fallback<@cpu>]>
    device.global @same = #device.select<[#device.fallback<@gpu>, #device.fallback<@cpu>]>
  )");
  EXPECT_EQ(formats(devices.getTargets(name("cpu"))), "v3 v4");
  EXPECT_EQ(formats(devices.getTargets(name("gpu"))), "ptx spirv v3 v4");
  EXPECT_EQ(formats(devices.getTargets(name("same"))), "ptx spirv v3 v4");
  EXPECT_EQ(formats(devices.getAllTargets()), "v3 v4 ptx spirv");
  EXPECT_EQ(formats(devices.getTargets(name("other"))), "");
  EXPECT_FALSE(devices.lookup(name("other")));
  EXPECT_EQ(devices.lookup(name("gpu")).getSymName(), "gpu");
}

TEST_F(DeviceQueryTest, ClassesAreSetsOfTargets) {
  std::string globals;
  for (int i = 0; i < 64; ++i)
    globals += "device.global @d" + std::to_string(i) + " = #device.target<\"null\", {ordinal = " + std::to_string(i) +
               "}, [" + (i % 2 ? "<\"a\">, <\"b\">" : "<\"b\">, <\"a\">") + "]>\n";
  DeviceQuery devices = query(globals + "device.global @other = #device.target<\"null\", [<\"a\">]>");
  EXPECT_EQ(devices.getNumClasses(), 2u);
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(devices.getClass(name("d" + std::to_string(i))), 0u);
  EXPECT_EQ(devices.getClass(name("other")), 1u);
}

TEST_F(DeviceQueryTest, AnOrdinalMayBeAnyTarget) {
  DeviceQuery devices = query(R"(
    device.global @any = #device.ordinal<0>
    device.global @cpu = #device.target<"local", [<"v3">]>
    device.global @gpu = #device.target<"cuda", [<"ptx">]>
  )");
  EXPECT_EQ(formats(devices.getTargets(name("any"))), "v3 ptx");
}

TEST_F(DeviceQueryTest, FallbacksInACircleEnd) {
  DeviceQuery devices = query(R"(
    device.global @a = #device.select<[#device.target<"cuda", [<"ptx">]>, #device.fallback<@b>]>
    device.global @b = #device.select<[#device.target<"local", [<"v3">]>, #device.fallback<@a>]>
  )");
  EXPECT_EQ(formats(devices.getTargets(name("a"))), "ptx v3");
  EXPECT_EQ(formats(devices.getTargets(name("b"))), "v3 ptx");
}

} // namespace
