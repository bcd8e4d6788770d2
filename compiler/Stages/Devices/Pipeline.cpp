// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Devices/Pipeline.h"

#include "compiler/Stages/Devices/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

void mlir::heddle::buildDevicesPipeline(OpPassManager &pm, const DevicesOptions &options) {
  pm.addPass(createApplyFlags(options.targets, options.cpus, options.defaultDevice));
  pm.addPass(createDeclareGlobals({.isFlag = !options.defaultDevice.empty()}));
  pm.addPass(createResolvePromises());
  // Of names of devices, not of promises.
  pm.addPass(createLowerBoundary());
  pm.addPass(createPlaceGlobals());
  pm.addPass(createExpandAliases());
  // Of all targets that the module names, so after the aliases.
  pm.addPass(createExpandOrdinals());
  pm.addPass(createVerifyDevices());
  // After the check: every device that a pin names is there.
  pm.addPass(createPinOps({options.placeFile}));
}
