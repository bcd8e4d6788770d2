// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a schedule must know of two device symbols: whether they may turn out to be one device.
#ifndef HEDDLE_COMPILER_STAGES_SCHEDULE_PROGRAM_DEVICEIDENTITY_H
#define HEDDLE_COMPILER_STAGES_SCHEDULE_PROGRAM_DEVICEIDENTITY_H

#include "compiler/Dialect/Device/IR/DeviceOps.h"

namespace mlir::heddle {

// Whether host.same of two symbols may be true: a fallback leads from one to the other, or from both to a third. Two
// symbols without one never are, even on a machine with one device: each is then a logical device of its own.
bool mayBeOneDevice(ModuleOp module, FlatSymbolRefAttr a, FlatSymbolRefAttr b);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_SCHEDULE_PROGRAM_DEVICEIDENTITY_H
