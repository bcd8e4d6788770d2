// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Package/FunctionFlattener.h"
#include "compiler/Stages/Package/Passes.h"

using namespace mlir;

namespace mlir::heddle {
#define GEN_PASS_DEF_PRINTINSTRUCTIONS
#include "compiler/Stages/Package/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct PrintInstructions : mlir::heddle::impl::PrintInstructionsBase<PrintInstructions> {
  void runOnOperation() override {
    mlir::heddle::ArtifactTables tables;
    for (auto func : getOperation().getOps<mlir::heddle::host::FuncOp>()) {
      auto function = mlir::heddle::FunctionFlattener(func, tables).flatten();
      if (failed(function))
        return signalPassFailure();
      llvm::outs() << "function " << (*function)->name << ": " << (*function)->scalars << " scalars, "
                   << (*function)->buffers << " buffers, " << (*function)->streams << " streams, "
                   << (*function)->events << " events\n"
                   << ::heddle::contract::disassemble((*function)->code);
    }
  }
};

} // namespace
