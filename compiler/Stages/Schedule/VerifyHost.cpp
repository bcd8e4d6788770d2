// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/Analysis/Verifier.h"
#include "compiler/Stages/Schedule/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_VERIFYHOST
#include "compiler/Stages/Schedule/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct VerifyHost : mlir::heddle::impl::VerifyHostBase<VerifyHost> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<host::FuncOp>())
      if (failed(host::verifyProgram(func)))
        return signalPassFailure();
    getOperation()->setAttr(host::kProvedAttr, UnitAttr::get(&getContext()));
  }
};

} // namespace
