// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of stage `schedule`; see Passes.td.
#ifndef HEDDLE_COMPILER_STAGES_SCHEDULE_PASSES_H
#define HEDDLE_COMPILER_STAGES_SCHEDULE_PASSES_H

#include "compiler/Dialect/Host/IR/HostOps.h"

#include "mlir/Pass/Pass.h"

namespace mlir::heddle {

#define GEN_PASS_DECL
#include "compiler/Stages/Schedule/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "compiler/Stages/Schedule/Passes.h.inc"

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_SCHEDULE_PASSES_H
