// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of stage `devices`; see Passes.td.
#ifndef HEDDLE_COMPILER_STAGES_DEVICES_PASSES_H
#define HEDDLE_COMPILER_STAGES_DEVICES_PASSES_H

#include "compiler/Dialect/Device/IR/DeviceOps.h"

#include "mlir/Pass/Pass.h"

namespace mlir::heddle {

#define GEN_PASS_DECL
#include "compiler/Stages/Devices/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "compiler/Stages/Devices/Passes.h.inc"

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_DEVICES_PASSES_H
