// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Schedule/Passes.h"
#include "compiler/Stages/Schedule/Program/HostProgramBuilder.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_BUILDHOSTPROGRAM
#include "compiler/Stages/Schedule/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct BuildHostProgram : mlir::heddle::impl::BuildHostProgramBase<BuildHostProgram> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    device::GlobalOp device = device::getDefaultDevice(module);
    SymbolTable symbols(module);
    for (auto func : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      if (!func.isPublic() || func.isExternal())
        continue;
      if (!device) {
        module.emitError() << "schedule needs a device: the module has no device.global";
        return signalPassFailure();
      }
      if (failed(HostProgramBuilder(func, device, symbols).build()))
        return signalPassFailure();
      func.erase();
    }
  }
};

} // namespace
