// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One instance of the pass runs on a module that is changed in between.
#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Stages/Devices/Passes.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::heddle;

namespace {

TEST(ExpandAliases, RemembersNothingOfTheLastRun) {
  MLIRContext context;
  context.loadDialect<device::DeviceDialect>();
  auto module = parseSourceString<ModuleOp>(R"(
    device.global @a = #device.select<[#device.target<"null", [#device.executable<"null">]>, #device.fallback<@b>]>
    device.global @b = #device.target<"null", [#device.executable<"null">]>
  )",
                                            &context);
  ASSERT_TRUE(module);
  PassManager passes(&context);
  passes.addPass(createExpandAliases());
  ASSERT_TRUE(succeeded(passes.run(*module)));
  auto other = module->lookupSymbol<device::GlobalOp>("b");
  other.setDeviceAttr(device::FallbackAttr::get(&context, FlatSymbolRefAttr::get(&context, "a")));
  std::string errors;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.str();
    return success();
  });
  EXPECT_TRUE(failed(passes.run(*module)));
  EXPECT_NE(errors.find("falls back to itself"), std::string::npos) << errors;
}

} // namespace
