// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Codegen/Passes.h"
#include "compiler/Stages/Codegen/Targets.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_VERIFYCODEGEN
#include "compiler/Stages/Codegen/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct VerifyCodegen : mlir::heddle::impl::VerifyCodegenBase<VerifyCodegen> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto program : module.getOps<kernel::ProgramOp>()) {
      program.emitOpError("is left after codegen");
      return signalPassFailure();
    }
    SmallVector<device::ExecutableAttr> all = codegen::getExecutables(module);
    for (auto executable : module.getOps<flow::ExecutableOp>())
      for (device::ExecutableAttr target : codegen::getExecutables(executable, all))
        if (!codegen::findVariant(executable, target)) {
          executable.emitOpError("has no variant for ") << target;
          return signalPassFailure();
        }
  }
};

} // namespace
