// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of stage `devices`; see Passes.td.
#ifndef HEDDLE_COMPILER_STAGES_DEVICES_PASSES_H
#define HEDDLE_COMPILER_STAGES_DEVICES_PASSES_H

#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Stages/Devices/DeviceFlags.h"

#include "mlir/Pass/Pass.h"

namespace mlir::heddle {

#define GEN_PASS_DECL
#include "compiler/Stages/Devices/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "compiler/Stages/Devices/Passes.h.inc"

// The pass with flags that are parsed already, which it applies as they are.
std::unique_ptr<Pass> createApplyFlags(ArrayRef<DeviceFlag> targets, ArrayRef<std::string> cpus,
                                       StringRef defaultDevice);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_DEVICES_PASSES_H
