#include "compiler/Pipelines/Stages.h"

#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Host/IR/HostOps.h"
#include "compiler/Stages/Devices/Passes.h"
#include "compiler/Stages/Form/Passes.h"
#include "compiler/Stages/Place/Passes.h"
#include "compiler/Stages/Simplify/Passes.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"

using namespace mlir;
using namespace mlir::heddle;

void mlir::heddle::registerDialects(DialectRegistry &registry) {
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registry.insert<HeddleDialect, device::DeviceDialect, flow::FlowDialect, host::HostDialect>();
}

void mlir::heddle::registerPasses() {
  registerDevicesPasses();
  registerSimplifyPasses();
  registerFormPasses();
  registerPlacePasses();
}
