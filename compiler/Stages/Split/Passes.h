// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that split long reductions: chosen at the end of stage `encode`, split in `form`; see Passes.td.
#ifndef HEDDLE_COMPILER_STAGES_SPLIT_PASSES_H
#define HEDDLE_COMPILER_STAGES_SPLIT_PASSES_H

#include "compiler/Dialect/Flow/IR/FlowOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"

#include "mlir/Pass/Pass.h"

namespace mlir::heddle {

#define GEN_PASS_DECL
#include "compiler/Stages/Split/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "compiler/Stages/Split/Passes.h.inc"

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_SPLIT_PASSES_H
