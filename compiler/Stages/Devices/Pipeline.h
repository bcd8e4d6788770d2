// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stage `devices`: flags and attributes become device.global ops, so that a device is a symbol from here on.
#ifndef HEDDLE_COMPILER_STAGES_DEVICES_PIPELINE_H
#define HEDDLE_COMPILER_STAGES_DEVICES_PIPELINE_H

#include "compiler/Stages/Devices/DeviceFlags.h"

#include "mlir/Pass/PassManager.h"

#include <string>
#include <vector>

namespace mlir::heddle {

struct DevicesOptions {
  std::vector<DeviceFlag> targets; // `--target-device=` in order, of parseDeviceFlags(); empty: the host CPU
  std::vector<std::string> cpus;   // `--target-cpu=`, of the one device (cpu::getExecutable); empty: "host"
  std::string defaultDevice;       // `--default-device=`, name or position; empty: the module's, else the first
  std::string placeFile;           // `--place-file=` (PlaceFile.h); empty: none
};

void buildDevicesPipeline(OpPassManager &pm, const DevicesOptions &options);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_DEVICES_PIPELINE_H
