#include "compiler/Stages/Devices/Pipeline.h"

#include "compiler/Stages/Devices/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

void mlir::heddle::buildDevicesPipeline(OpPassManager &pm, const DevicesOptions &options) {
  AssignTargetsOptions assign;
  assign.targets.assign(options.targets.begin(), options.targets.end());
  assign.cpus.assign(options.cpus.begin(), options.cpus.end());
  pm.addPass(createAssignTargets(assign));
  pm.addPass(createVerifyDevices());
}
