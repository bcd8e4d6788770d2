// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/opt/TestFail.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace {

struct TestFailSilently : PassWrapper<TestFailSilently, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestFailSilently)

  TestFailSilently() = default;
  TestFailSilently(const TestFailSilently &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "test-fail-silently"; }
  StringRef getDescription() const override {
    return "Fails where an op is marked test.fail, with an error or without";
  }

  void runOnOperation() override {
    if (!getOperation()->hasAttr("test.fail"))
      return;
    if (says)
      getOperation()->emitError("fails as asked");
    signalPassFailure();
  }

  Option<bool> says{*this, "says", llvm::cl::desc("with an error"), llvm::cl::init(false)};
};

} // namespace

void mlir::heddle::registerTestFail() { PassRegistration<TestFailSilently>(); }
