// Stage `devices`: flags become device.global ops, so that a device is a symbol from here on.
#ifndef HEDDLE_COMPILER_STAGES_DEVICES_PIPELINE_H
#define HEDDLE_COMPILER_STAGES_DEVICES_PIPELINE_H

#include "mlir/Pass/PassManager.h"

#include <string>
#include <vector>

namespace mlir::heddle {

struct DevicesOptions {
  std::vector<std::string> targets; // device specs in order; empty: the host CPU
  std::vector<std::string> cpus;    // processors of local devices (cpu::getExecutable); empty: "host"
};

void buildDevicesPipeline(OpPassManager &pm, const DevicesOptions &options);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_DEVICES_PIPELINE_H
