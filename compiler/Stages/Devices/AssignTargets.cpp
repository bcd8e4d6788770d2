#include "compiler/Stages/Devices/Passes.h"

#include "compiler/Target/TargetRegistry.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_ASSIGNTARGETS
#include "compiler/Stages/Devices/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct AssignTargets : mlir::heddle::impl::AssignTargetsBase<AssignTargets> {
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
    AliasOptions options;
    options.processors.assign(cpus.begin(), cpus.end());
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    for (auto [i, spec] : llvm::enumerate(specs)) {
      const Target *kind = findTargetOfAlias(spec);
      if (!kind) {
        module.emitError() << "unknown target device '" << spec << "'; known: " << listAliases();
        return signalPassFailure();
      }
      FailureOr<device::TargetAttr> target = kind->expandAlias(module, spec, options);
      if (failed(target))
        return signalPassFailure();
      device::GlobalOp::create(builder, module.getLoc(), ("device_" + Twine(i)).str(), *target);
    }
  }
};

} // namespace
