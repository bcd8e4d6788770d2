// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of stage `codegen`; see Passes.td. The dialect `llvm` is included where it is built: its header takes two
// seconds.
#ifndef HEDDLE_COMPILER_STAGES_CODEGEN_PASSES_H
#define HEDDLE_COMPILER_STAGES_CODEGEN_PASSES_H

#include "compiler/Codegen/IR/KernelOps.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::heddle {

#define GEN_PASS_DECL
#include "compiler/Stages/Codegen/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "compiler/Stages/Codegen/Passes.h.inc"

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_CODEGEN_PASSES_H
