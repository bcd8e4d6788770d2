// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Split/Passes.h"
#include "compiler/Stages/Split/SplitScript.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_APPLYSCRIPT
#include "compiler/Stages/Split/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct ApplyScript : mlir::heddle::impl::ApplyScriptBase<ApplyScript> {
  using ApplyScriptBase::ApplyScriptBase;

  // Before passes run: reading it loads dialects.
  LogicalResult initialize(MLIRContext *context) override {
    FailureOr<std::shared_ptr<split::SplitScript>> made = split::SplitScript::read(file, context);
    if (succeeded(made))
      script = *made;
    return success(succeeded(made));
  }

  void runOnOperation() override {
    if (failed(script->apply(getOperation())))
      signalPassFailure();
  }

  std::shared_ptr<split::SplitScript> script;
};

} // namespace
