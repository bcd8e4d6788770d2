#include "compiler/Stages/Devices/Passes.h"
#include "compiler/Target/TargetRegistry.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_VERIFYDEVICES
#include "compiler/Stages/Devices/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct VerifyDevices : mlir::heddle::impl::VerifyDevicesBase<VerifyDevices> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto global : module.getOps<device::GlobalOp>())
      if (failed(verify(global)))
        return signalPassFailure();
    if (module->hasAttr("heddle.default_device") && !device::getDefaultDevice(module)) {
      module.emitError() << "heddle.default_device names no device.global: "
                         << module->getAttr("heddle.default_device");
      signalPassFailure();
    }
  }

  LogicalResult verify(device::GlobalOp global) {
    for (Attribute alternative : global.getAlternatives())
      if (auto target = dyn_cast<device::TargetAttr>(alternative))
        if (failed(verify(global, target)))
          return failure();
    return success();
  }

  LogicalResult verify(device::GlobalOp global, device::TargetAttr target) {
    SmallVector<StringRef> drivers{"null"};
    for (const Target *known : getTargets())
      drivers.push_back(known->getDriver());
    if (!llvm::is_contained(drivers, target.getDriver().getValue()))
      return global.emitError() << "unknown driver " << target.getDriver() << "; known: " << llvm::join(drivers, ", ");
    for (device::ExecutableAttr executable : target.getExecutables())
      if (failed(getTarget(global, executable)))
        return failure();
    return success();
  }
};

} // namespace
