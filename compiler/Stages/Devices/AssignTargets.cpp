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
    FailureOr<SmallVector<device::ExecutableAttr>> executables = getExecutables(module);
    if (failed(executables))
      return signalPassFailure();
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    for (auto [i, spec] : llvm::enumerate(specs)) {
      if (spec != "local") {
        module.emitError() << "unknown target device '" << spec << "'; known: local";
        return signalPassFailure();
      }
      auto target = device::TargetAttr::get(&getContext(), builder.getStringAttr("local"), -1, *executables);
      device::GlobalOp::create(builder, module.getLoc(), ("device_" + Twine(i)).str(), target);
    }
  }

  // Each processor once, in the order given.
  FailureOr<SmallVector<device::ExecutableAttr>> getExecutables(ModuleOp module) {
    llvm::SetVector<device::ExecutableAttr> executables;
    SmallVector<std::string> specs(cpus.begin(), cpus.end());
    if (specs.empty())
      specs.push_back("host");
    for (const std::string &spec : specs) {
      FailureOr<device::ExecutableAttr> executable = heddle::cpu::getExecutable(module, spec);
      if (failed(executable))
        return failure();
      executables.insert(*executable);
    }
    return llvm::to_vector(executables);
  }
};

} // namespace
