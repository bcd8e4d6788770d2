#include "compiler/Stages/Devices/Passes.h"

#include "compiler/Target/CPU/CpuTarget.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_ASSIGNTARGETS
#include "compiler/Stages/Devices/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct AssignTargets : heddle::impl::AssignTargetsBase<AssignTargets> {
  using AssignTargetsBase::AssignTargetsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto declared = module.getOps<device::GlobalOp>();
    if (!declared.empty()) {
      if (!targets.empty()) {
        (*declared.begin())
            .emitError("the module declares its devices; --target-device would declare more: "
                       "give them in one place");
        signalPassFailure();
      }
      return;
    }
    SmallVector<std::string> specs(targets.begin(), targets.end());
    if (specs.empty())
      specs.push_back("local");
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    for (auto [i, spec] : llvm::enumerate(specs)) {
      if (spec != "local") {
        module.emitError() << "unknown target device '" << spec << "'; known: local";
        return signalPassFailure();
      }
      FailureOr<device::ExecutableAttr> executable = heddle::cpu::getExecutable(module, cpu);
      if (failed(executable))
        return signalPassFailure();
      auto target = device::TargetAttr::get(&getContext(), builder.getStringAttr("local"), -1, {*executable});
      device::GlobalOp::create(builder, module.getLoc(), ("device_" + Twine(i)).str(), target);
    }
  }
};

} // namespace
