// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of stage `partition` on ranks; see Passes.td.
#ifndef HEDDLE_COMPILER_STAGES_RANKS_PASSES_H
#define HEDDLE_COMPILER_STAGES_RANKS_PASSES_H

#include "compiler/Dialect/Flow/IR/FlowCollectives.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "mlir/Pass/Pass.h"

namespace mlir::heddle {

#define GEN_PASS_DECL
#include "compiler/Stages/Ranks/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "compiler/Stages/Ranks/Passes.h.inc"

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_RANKS_PASSES_H
